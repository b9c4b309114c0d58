// SPDX-License-Identifier: Apache-2.0
// Reads-from fuzzing (Wolff, Shi, Duck, Mathur, Roychoudhury: "Greybox Fuzzing for Concurrency
// Testing", ASPLOS 2024).
//
// An *abstract schedule* is a set of constraints: this read observes that write, or any but that
// one. A proactive scheduler steers a run towards them (section 4.2, figure 2 of the paper):
// threads whose next operation helps are favoured, those whose next operation would spoil a
// constraint are held back while there is somebody else, and among equals partial order sampling
// decides. Abstract schedules whose runs showed a new pair of write and read are kept; new ones are
// made from them by small changes; and those whose behaviour has become common get no more runs (a
// power schedule on the frequency of the set of pairs).
//
// Where we differ:
// - The value before all writes is a write that constraints can name; locations have names that are
//   the same in every run; a read-modify-write is a read and a write.
// - What a negative constraint forbids is held back also before its read is pending, which is what
//   makes it work. A constraint on what happens inside a critical section is already heeded where
//   its lock is taken, because who waits inside keeps out the one it waits for.
// - What a thread wrote itself is not observed, though the abstract events of threads that run the
//   same code are the same. If the same threads read and write, one of them may be cast as the
//   reader: if all waited, there would be nobody to wait for.
// - In some runs the thread that is to read goes first until it is about to, then the one that is
//   to write, or the other way round. In every other run but the first a constraint is to be met by
//   each new write, not once: that keeps two loops in step, and so from whatever they would do when
//   they are not.
// - What constraints are drawn is not left to luck alone: see constraint_drawer.h. The first runs
//   try one thing each, the most promising first; when there has been no news for long, several are
//   drawn at once.
// - The sampler gets a fresh seed with every run, mutated or not; of eight later runs three begin
//   with no constraints instead of a kept schedule, one of them stays so; and the fourth run has
//   the order opposite to that without preemption.
// - In some runs of a program with nested locks a thread that holds a lock waits before it takes
// another.
//
// `mutate=off` runs every schedule of the corpus once, as it is, and marks those that showed
// something new: how a corpus is pruned. `feedback=off` keeps nothing but the empty schedule and
// mutates that; `constraints=off` leaves the sampler alone. Both are the paper's ablations.
#include "src/base/check.h"
#include "src/base/index_table.h"
#include "src/strategy/order.h"
#include "src/strategy/rff/constraint_drawer.h"
#include "src/strategy/rff/event_registry.h"
#include "src/strategy/rff/proactive.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

// Where the numbers come from. Paper: the one above. Measured: by `./dev bench rff`, schedules to
// the first bug. Chosen: a guess that was never compared with others.

// Chosen: corpora of the paper's programs are a tenth of it.
constexpr size_t kMostSchedules = 1024;
// The energy of a schedule that is chosen again and again doubles up to a limit. Paper: the shape
// (cut-off exponential); chosen: the limit, which is reached after kDoublings choices.
constexpr uint64_t kMostEnergy = 16;
constexpr uint64_t kDoublings = 4;
static_assert(uint64_t{1} << kDoublings == kMostEnergy);
// Sets of pairs whose frequency is known. Chosen.
constexpr size_t kMostSets = 1 << 16;
// Runs without constraints before a corpus is judged: what is new in the first ones is new because
// they find out which memory is shared. Chosen.
constexpr uint64_t kWarmUp = 32;
// So many runs at first try one thing each. Chosen.
constexpr uint64_t kFirstRuns = 16;
// The run in the order opposite to that without preemption. Chosen: early, behind two tries.
constexpr uint64_t kReverseRun = 4;
// In a program with nested locks the run in which who holds a lock waits before it takes another,
// and how many of the later runs do that. Measured: five philosophers take 3 schedules instead of
// 130.
constexpr uint64_t kNestedRun = 3, kNestedOneIn = 8;
// Of kLots later runs so many begin with no constraints, and one of these stays so. Chosen.
constexpr uint64_t kLots = 8;
constexpr uint64_t kLotsAfresh = 3;
// After so many runs that showed nothing new every other run changes kManyChanges and up to as many
// more at once. Measured: triangular takes 85 schedules instead of 40,000 with this and constraints
// that persist.
constexpr uint64_t kLongWithoutNews = 64;
constexpr uint64_t kManyChanges = 2, kMoreChanges = 4;
// Otherwise one run in kSeveralOneIn changes two or three things. Chosen.
constexpr uint64_t kSeveralOneIn = 4;
// Who goes first until the read or write is near, of kLeadLots: nobody, the reader, else the
// writer. Chosen: the three about alike.
constexpr uint64_t kLeadLots = 8, kNobodyLeads = 3, kReaderLeads = 3;

// How often each set of pairs has been seen.
class Frequencies {
 public:
  uint64_t count(uint64_t set) {
    ++all_;
    const uint32_t known = find(set);
    if (known != IndexTable::kNotThere) return ++seen_[known].times;
    if (seen_.size() == kMostSets) return 0;
    seen_.push_back({set, 1});
    by_set_.add(static_cast<uint32_t>(seen_.size() - 1),
                [this](uint32_t i) { return seen_[i].set; });
    return 1;
  }
  // Is it seen more often than the others?
  bool is_common(uint64_t set) const {
    const uint32_t known = find(set);
    return known != IndexTable::kNotThere && seen_[known].times * seen_.size() > all_;
  }

 private:
  struct Seen {
    uint64_t set;
    uint64_t times;
  };
  uint32_t find(uint64_t set) const {
    return by_set_.find(set, [this, set](uint32_t i) { return seen_[i].set == set; });
  }
  EngineVector<Seen> seen_;
  IndexTable by_set_;
  uint64_t all_ = 0;
};

class ReadsFromFuzzing final : public Sampler, public Observer, public Explorer {
 public:
  ReadsFromFuzzing(const StrategyValues& values, const StrategyInput& input)
      : feedback_(values.is_first_word("feedback")),
        steers_(values.is_first_word("constraints")),
        mutates_(values.is_first_word("mutate")),
        hub_(feedback_ ? input.hub : nullptr),
        worker_(input.worker) {
    corpus_.push_back({});
  }

  Parts parts() override {
    return {.names = steers_,
            .observer = steers_ ? this : nullptr,
            .explorer = mutates_ ? nullptr : this};
  }

  void run_begins() override { events_.begin_run(); }
  void observed(const Event& event, bool writes) override {
    events_.note(event, writes);
    steering_.observed(event, writes);
  }
  void after_other_run(const channel::RunRecord& run) override {
    without_news_ = run.new_reads_from ? 0 : without_news_ + 1;
    for (uint32_t i = 0; i < run.race_count; ++i) {
      events_.note_race(run.races[i].places[0], run.races[i].places[1]);
    }
  }
  void paired(uint64_t write, uint64_t read) override { events_.note_pair(write, read); }

  void begin(const RunStart& start) override {
    Sampler::begin(start);
    now_ = {};
    if (!mutates_) {
      if (runs_ == 0) import();
      if (runs_ >= kWarmUp && judged() < corpus_.size()) now_ = corpus_[judged()].schedule;
    } else if (steers_) {
      if (energy_ == 0) choose_parent();
      JOSTLE_CHECK(energy_ != 0 && energy_ <= kMostEnergy && parent_ < corpus_.size());
      --energy_;
      // What is rare need not lead anywhere: some runs begin anew, and some are left alone.
      const uint64_t luck = runs_ < kFirstRuns ? 1 : rng_.below(kLots);
      if (luck >= kLotsAfresh) now_ = corpus_[parent_].schedule;
      if (luck != 0) mutate();
    }
    ++runs_;
    if (is_nested()) now_ = {};
    steering_.begin(now_, events_, draw_manner(), rng_);
    manner_.wants_stores = now_.count != 0;
  }

  channel::Exploration exploration() const override {
    channel::Exploration state = kNothingExplored;
    state.finished = !mutates_ && runs_ >= kWarmUp && judged() >= corpus_.size();
    return state;
  }
  bool inputs_vary() override { return true; }

  ThreadId pick(const View& view) override {
    return is_reverse() ? in_reverse(view) : steering_.pick(view, rng_);
  }
  uint32_t choose(const Question& question) override {
    if (question.kind != ChoiceKind::stale) return Sampler::choose(question);
    return steering_.wanted_store(question.read, question.names, question.name_count);
  }
  void executed(const View& view, ThreadId id, const Operation& op) override {
    steering_.executed(view, id, op, rng_);
  }

  void after_run(const channel::RunRecord& run) override {
    after_other_run(run);
    steering_.rest();
    const uint64_t times = sets_.count(run.reads_from);
    if (now_.count == 0) corpus_[0].set = run.reads_from;
    if (!mutates_) return mark(run);
    if (!feedback_ || now_.count == 0) return;
    const bool failed_anew = channel::may_have_failed(run.end.outcome) &&
                             run.end.outcome != channel::Outcome::stopped && times == 1;
    if (run.new_reads_from == 0 && !failed_anew) return;
    keep(now_, run.reads_from);
    publish();
  }

 private:
  bool is_nested() {
    nests_ = mutates_ && steers_ && events_.tables().any_nested &&
             (runs_ == kNestedRun || (runs_ > kFirstRuns && rng_.below(kNestedOneIn) == 0));
    return nests_;
  }

  ProactiveScheduler::Manner draw_manner() {
    using Leads = ProactiveScheduler::Leads;
    if (now_.count == 0) {
      return {.leads = Leads::nobody, .persists = false, .casts = false, .nests = nests_};
    }
    const uint64_t bits = rng_.next() >> 32;
    const bool must_lead = runs_ <= kFirstRuns && now_.constraints[0].negative;
    const uint64_t luck = must_lead ? kLeadLots - 1 : rng_.below(kLeadLots);
    const Leads leads = luck < kNobodyLeads                  ? Leads::nobody
                        : luck < kNobodyLeads + kReaderLeads ? Leads::reader
                                                             : Leads::writer;
    const bool is_first = steered_++ == 0;
    return {.leads = leads,
            .persists = !is_first && (bits & 1) != 0,
            .casts = (bits & 2) != 0,
            .nests = false};
  }

  // One of the first runs is without preemption in the order opposite to the usual one: a bug that
  // takes no more than the order of whole threads is not left to luck.
  bool is_reverse() const { return mutates_ && runs_ == kReverseRun; }

  struct Entry {
    AbstractSchedule schedule = {};
    uint64_t set = 0;     // the pairs of the run that it was kept for
    uint64_t chosen = 0;  // times since it was last skipped
  };

  // With mutate=off: which schedule comes next. Behind the empty one they are those of the hub.
  uint64_t judged() const { return runs_ - kWarmUp + 1; }
  void mark(const channel::RunRecord& run) {
    if (!hub_ || runs_ <= kWarmUp || run.new_reads_from == 0) return;
    const uint64_t last = judged() - 1;
    if (last < corpus_.size()) hub_->corpus[last - 1].useful.store(1, std::memory_order_relaxed);
  }

  void keep(const AbstractSchedule& schedule, uint64_t set) {
    if (corpus_.size() < kMostSchedules) {
      corpus_.push_back({schedule, set, 0});
    } else {
      corpus_[1 + rng_.below(kMostSchedules - 1)] = {schedule, set, 0};
    }
  }

  // For the other workers, and for later campaigns.
  void publish() {
    CorpusEntry* entry = hub_ ? hub_->new_entry() : nullptr;
    if (!entry) return;
    entry->worker = worker_;
    entry->schedule = now_;
    for (uint32_t i = 0; i < now_.count; ++i) {
      const KnownEvent* write = events_.find(now_.constraints[i].write);
      const KnownEvent* read = events_.find(now_.constraints[i].read);
      entry->places[i] = {write ? write->site : 0, read ? read->site : 0, read ? read->object : 0};
    }
    entry->ready.store(1, std::memory_order_release);
  }

  // What others have found meanwhile, or an earlier campaign.
  void import() {
    if (!hub_) return;
    for (; imported_ < hub_->corpus_size(); ++imported_) {
      const CorpusEntry& entry = hub_->corpus[imported_];
      if (!entry.ready.load(std::memory_order_acquire)) return;
      if (entry.worker != worker_) keep(entry.schedule, 0);
    }
  }

  // The next schedule in turn whose behaviour is not common, and how many runs it gets.
  void choose_parent() {
    import();
    for (size_t tried = 0; tried < corpus_.size(); ++tried) {
      parent_ = (parent_ + 1) % corpus_.size();
      Entry& entry = corpus_[parent_];
      if (corpus_.size() > 1 && sets_.is_common(entry.set)) {
        entry.chosen = 0;
        continue;
      }
      energy_ = entry.chosen < kDoublings ? uint64_t{1} << entry.chosen : kMostEnergy;
      ++entry.chosen;
      return;
    }
    parent_ = rng_.below(corpus_.size());  // all are common
    energy_ = 1;
  }

  void mutate() {
    if (runs_ < kFirstRuns) return change();
    uint64_t changes = rng_.below(kSeveralOneIn) == 0 ? 2 + rng_.below(2) : 1;
    if (without_news_ > kLongWithoutNews && rng_.below(2) == 0) {
      changes = kManyChanges + rng_.below(kMoreChanges);
    }
    for (; changes > 0; --changes) change();
  }

  void change() {
    // Three of six insert a constraint, one each removes, negates and replaces one. Paper: these
    // four changes; chosen: how often each.
    const uint64_t kind = now_.count == 0 ? 0 : rng_.below(6);
    const auto any = static_cast<uint32_t>(now_.count ? rng_.below(now_.count) : 0);
    if (kind == 3) return now_.erase(any);
    if (kind == 4) {
      now_.constraints[any].negative = !now_.constraints[any].negative;
      return;
    }
    Constraint fresh;
    if (!drawer_.draw(rng_, runs_ < kFirstRuns, fresh) || now_.contains(fresh)) return;
    JOSTLE_CHECK(events_.find(fresh.read) != nullptr);
    JOSTLE_CHECK(events_.find(fresh.write) || fresh.write == initial_write(fresh.location));
    if (kind == 5 || now_.count == kMostConstraints) {
      now_.constraints[any] = fresh;
    } else {
      JOSTLE_CHECK_LT(now_.count, kMostConstraints);
      now_.constraints[now_.count++] = fresh;
    }
  }

  bool feedback_, steers_, mutates_;
  Hub* hub_;
  uint32_t worker_;
  uint32_t imported_ = 0;
  EventRegistry events_;
  ConstraintDrawer drawer_{events_.tables()};
  ProactiveScheduler steering_;
  Frequencies sets_;
  EngineVector<Entry> corpus_;
  size_t parent_ = 0;
  uint64_t energy_ = 0;
  uint64_t runs_ = 0;
  bool nests_ = false;         // this run: see Manner::nests
  uint64_t steered_ = 0;       // runs with constraints
  uint64_t without_news_ = 0;  // runs of whomever since one showed something new
  AbstractSchedule now_;
};

}  // namespace

JOSTLE_STRATEGY(kRff) = {
    "rff",
    "reads-from fuzzing: which read observes which write is mutated and steered",
    {{"feedback", 0, 0, 1, "what brings news is kept and changed", "on|off"},
     {"constraints", 0, 0, 1, "runs are steered", "on|off"},
     {"mutate", 0, 0, 1, "off: the corpus as it is, once", "on|off"}},
    made<ReadsFromFuzzing>};

}  // namespace jostle
