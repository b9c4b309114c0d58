// SPDX-License-Identifier: Apache-2.0
// Search over the order of callbacks: go on from where a run got somewhere new.
//
// A run whose callbacks did what those of no run before did (runtime/memory/callbacks.h: two
// callbacks next to each other, a callback while others were ready, one called more often than
// ever) is kept together with the place in its log where it did. New runs follow the log of a kept
// one up there, give or take a few choices, and draw the rest at random; or leave it earlier; or
// repeat all of it but for a choice or two. So an order of many callbacks that only leads on step
// by step is found step by step, where sampling would have to guess all of it at once. The idea of
// feedback is ConFuzz's (Padhiyar and Sivaramakrishnan, PADL 2021), who leave it to AFL; to return
// to the frontier first and explore from there is Go-Explore's (Ecoffet et al., Nature 2021).
//
// In one run of eight what is ready is ordered by rank instead, drawn once for the run: all that
// concerns one thing comes before all that concerns another, where single draws would mix them. In
// three of eight it is ordered as a few constraints want it, which are searched like those of
// rff (ready_orders.h).
//
// What is drawn: threads by partial order sampling, other choices as every sampler does.
#include "src/base/hash.h"
#include "src/strategy/events/ready_orders.h"
#include "src/strategy/guided/guide.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/samplers/scores.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr size_t kMostKept = 512;
constexpr size_t kMostSegments = 1 << 14;  // longer runs are not kept
// What a loop learns of a handful of descriptors takes so many choices.
constexpr uint64_t kFarthestBack = 8;
// So many runs go on from the very place where one of them got somewhere new.
constexpr uint64_t kExactRuns = 16;
// So many runs that begin with one of them, before others come first.
constexpr uint64_t kMostRuns = 256;

// Ranks below this wait: one in four.
constexpr uint64_t kHeldBack = UINT64_MAX / 4;

class Events final : public GuidedStrategy {
 public:
  void begin(const RunStart& start) override {
    GuidedStrategy::begin(start);
    rng_.reseed(start.seed);
    scores_.clear();
    log_.clear();
    redraws_input_ = false;
    const uint64_t manner = rng_.below(8);
    ranks_ = manner == 0 ? rng_.next() | 1 : 0;
    orders_.begin(manner >= 1 && manner <= 3, rng_);
    if (kept_.empty() || rng_.below(16) == 0) return;
    Kept& from = *choose_kept();
    ++from.runs;
    log_.copy(from.log);
    switch (rng_.below(8)) {
      case 0:  // all of it, with other choices here and there
        for (uint64_t changes = 1 + rng_.below(2); changes && !log_.choices.empty(); --changes) {
          log_.choices[rng_.below(log_.choices.size())].picked =
              static_cast<uint32_t>(rng_.next() >> 40);
        }
        break;
      case 1:  // a part of the way
        cut(rng_.below(from.choices + 1), rng_.below(from.segments + 1));
        break;
      default: {
        // Later not quite to the place: a choice shortly before may be what is wrong for what
        // follows.
        const bool stays_away = from.runs > kExactRuns && rng_.below(2) == 0;
        const uint64_t back = stays_away ? rng_.below(kFarthestBack) : 0;
        cut(from.choices > back ? from.choices - back : 0, from.segments);
        log_.segments.push_back({from.thread, from.events});
      }
    }
    redraws_input_ = rng_.below(2) == 0;
  }

  ThreadId pick(const View& view) override {
    if (!is_past_segments()) {
      const ThreadId id = GuidedStrategy::pick(view);
      if (!is_past_segments()) return id;
    }
    return scores_.best(*view.candidates, rng_);
  }

  void executed(const View& view, ThreadId id, const Operation& op) override {
    GuidedStrategy::executed(view, id, op);
    scores_.executed(view, id, op, rng_);
  }

  void thread_created(ThreadId parent, ThreadId child) override {
    GuidedStrategy::thread_created(parent, child);
    scores_.redraw(child, rng_);
  }

  uint32_t choose(const Question& question) override {
    if (!question.names) return follow_or_draw(question);
    if (question.kind == ChoiceKind::late) return choose_late(question);
    const uint32_t chosen = choose_ready(question);
    orders_.note(question.names, question.name_count, chosen);
    return chosen;
  }

  void after_run(const channel::RunRecord& run) override {
    orders_.after_run(run.progress.new_features != 0);
    keep(run);
  }
  void after_other_run(const channel::RunRecord& run) override { after_run(run); }

 private:
  uint32_t follow_or_draw(const Question& question) {
    if (is_past_choices()) return draw_choice(rng_, question);
    const uint32_t kept = GuidedStrategy::choose(question);
    return redraws_input_ && question.kind == ChoiceKind::target ? draw_choice(rng_, question)
                                                                 : kept;
  }

  uint32_t choose_late(const Question& question) {
    if (is_past_choices()) {
      const bool all_wait = orders_.active()
                                ? orders_.all_held(question.names, question.name_count)
                                : ranks_ && all_held_back(question.names, question.name_count);
      if (all_wait) return question.alternatives - 1;
    }
    return follow_or_draw(question);
  }

  uint32_t choose_ready(const Question& question) {
    if (!is_past_choices()) return follow_or_draw(question);
    const uint64_t* names = question.names;
    const uint32_t count = question.name_count;
    if (orders_.active()) return orders_.choose(names, count, question.may_stop(), rng_);
    return ranks_ ? first_in_rank(names, count, question.may_stop()) : follow_or_draw(question);
  }

  // In some runs what is ready has ranks that last for the run: all that concerns the one comes
  // before all that concerns the other, and the last in rank wait as long as they may.
  uint32_t first_in_rank(const uint64_t* names, uint32_t count, bool may_stop) const {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; ++i) {
      if (rank(names[i]) > rank(names[best])) best = i;
    }
    return may_stop && rank(names[best]) < kHeldBack ? count : best;
  }

  bool all_held_back(const uint64_t* names, uint32_t count) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (rank(names[i]) >= kHeldBack) return false;
    }
    return true;
  }

  void keep(const channel::RunRecord& run) {
    const channel::Progress& progress = run.progress;
    if (progress.new_features == 0 || run.log_overflow) return;
    if (run.schedule.segment_count > kMostSegments) return;
    Kept& kept = room();
    kept.log.copy(run.schedule);
    kept.choices = progress.choices;
    kept.segments = progress.segments;
    kept.thread = progress.thread;
    kept.events = progress.events + 1;
    kept.runs = 0;
  }

  struct Kept {
    GuideLog log;
    uint32_t choices = 0, segments = 0;  // so many of the log, and then
    uint32_t thread = 0;                 // this thread up to
    uint64_t events = 0;                 // this event of its own
    uint64_t runs = 0;                   // that began with it
  };

  uint64_t rank(uint64_t name) const { return combine(combine(53, ranks_), name); }

  // Of a few the one that got somewhere new last in its run: what is new at the beginning of runs
  // is rarely what the way to more was waiting for. Not always.
  Kept* choose_kept() {
    Kept* best = kept_[draw_kept()];
    for (uint64_t others = rng_.below(8); others > 0; --others) {
      Kept* const other = kept_[draw_kept()];
      if (other->choices > best->choices && other->runs <= kMostRuns) best = other;
    }
    return best;
  }

  // The newest is where most is new; one that has been tried often leads nowhere, it seems.
  uint64_t draw_kept() {
    for (uint64_t i = kept_.size(); rng_.below(8) != 0 && i-- > 0;) {
      const bool tired = kept_[i]->runs > kMostRuns;
      if (rng_.below(4) >= (tired ? 3 : 1)) return i;
    }
    return rng_.below(kept_.size());
  }

  void cut(uint64_t choices, uint64_t segments) {
    if (choices < log_.choices.size()) log_.choices.resize(choices);
    if (segments < log_.segments.size()) log_.segments.resize(segments);
  }

  // For the newest, which is the last; the oldest goes when there are too many.
  Kept& room() {
    if (kept_.size() < kMostKept) {
      kept_.push_back(new (engine_allocate(sizeof(Kept))) Kept);
    } else {
      Kept* oldest = kept_[0];
      for (size_t i = 1; i < kMostKept; ++i) kept_[i - 1] = kept_[i];
      kept_[kMostKept - 1] = oldest;
    }
    return *kept_.back();
  }

  Rng rng_;
  Scores scores_;
  uint64_t ranks_ = 0;  // what the ranks of this run are made of; 0: there are none
  ReadyOrderSearch orders_;
  bool redraws_input_ = false;  // what the program itself asks for is drawn anew
  EngineVector<Kept*> kept_;
};

}  // namespace

JOSTLE_STRATEGY(kEvents) = {"events",
                            "goes on from where the callbacks of an event loop came in a new order",
                            {},
                            made<Events>};

}  // namespace jostle
