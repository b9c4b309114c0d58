// SPDX-License-Identifier: Apache-2.0
// `dpor`: all executions of a program, those that differ only in the order of independent steps
// once. The reduced search (reduced_search.h) decides; what runs do comes from their trails
// (schedule/action_trail.h).
//
// `dpor-bound`: those of them that have a schedule with few preemptions (preemption_search.h).
//
// `dpor-around`: those around a recorded one (neighbour_search.h).
#include <new>
#include <type_traits>

#include "src/strategy/dpor/distinct_executions.h"
#include "src/strategy/dpor/execution_tree.h"
#include "src/strategy/dpor/neighbour_search.h"
#include "src/strategy/dpor/preemption_search.h"
#include "src/strategy/dpor/prefix_order.h"
#include "src/strategy/dpor/program_knowledge.h"
#include "src/strategy/dpor/reduced_search.h"
#include "src/strategy/dpor/trail_reader.h"
#include "src/strategy/dpor/work/noted_locks.h"
#include "src/strategy/dpor/work/unit_desk.h"
#include "src/strategy/dpor/work/work_share.h"
#include "src/strategy/guided/guide.h"
#include "src/strategy/order.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

// Does a loop end when it finds this value? As far as is known.
class LoopConditions : public dpor::AwaitConditions {
 public:
  explicit LoopConditions(const WaitingLoops* loops) : loops_(loops) {}
  bool passes(uint64_t state, uint64_t value) const override {
    return !loops_->goes_round(state, value);
  }

 private:
  const WaitingLoops* loops_;
};

// A recorded schedule, followed as far as the program lets it. Threads are switched at steps only:
// between two of them nothing happens that others notice.
class RecordedRun final : public GuidedStrategy {
 public:
  void copy(const channel::Schedule& schedule) { log_.copy(schedule); }
};

template <typename Search>
class AllExecutions : public SelfDeciding, public Explorer {
 public:
  static constexpr bool kIsBounded = std::is_same_v<Search, dpor::PreemptionSearch>;
  static constexpr bool kIsAround = std::is_same_v<Search, dpor::NeighbourSearch>;
  static constexpr bool kIsWhole = std::is_same_v<Search, dpor::ReducedSearch>;

  AllExecutions([[maybe_unused]] const StrategyValues& values, const StrategyInput& input) {
    manner_.trail = trail_;
    gives_up_long_runs_ = input.is_one_of_several;
    if constexpr (kIsWhole) {
      if (input.hub && input.workers > 1 && input.worker < SearchBoard::kMostWorkers) {
        share_ = make_in_engine_memory<dpor::WorkShare>(&search_, &reader_, &knowledge_);
        share_->join(&input.hub->search_board, input.worker);
      }
      if (input.hub && input.hub->unit_exchange.is_used != 0) {
        desk_ = make_in_engine_memory<dpor::UnitDesk>(&input.hub->unit_exchange, &search_, &reader_,
                                                      &knowledge_);
      }
    }
    // What is left out of weak memory (is_before_running) would need more preemptions; and who
    // shares the search cannot know which executions were met by others.
    manner_.chooses_stores = kIsWhole && !share_ && !desk_;
    if constexpr (kIsBounded) search_.set_bound(static_cast<uint32_t>(values["k"]));
    if constexpr (kIsAround) {
      search_.set_radius(static_cast<uint32_t>(values["k"]));
      if (input.schedule) recorded_.copy(*input.schedule);
    }
    search_.restart();
  }

  Parts parts() override { return {.explorer = this}; }

  void begin(const RunStart& start) override {
    if constexpr (kIsAround) {
      recorded_.begin(start);
      is_recorded_ = search_.is_middle();
    }
    search_.begin_run();
    reader_.begin_run();
    past_.begin_run();
    distinct_.begin_run();
    read_ = waits_told_ = 0;
    numbers_.clear();
  }

  ThreadId pick(const View& view) override {
    // Nobody writes the trail: who runs the program is not the runtime.
    if (trail_->step_count == 0) return first_of(view);
    if (is_too_long()) return give_run_up();
    catch_up(trail_->step_count);
    if (is_recorded_) return recorded_.pick(view);
    const dpor::Thread current = thread_of(view, view.current);
    // Mostly the current thread goes on: nobody else has to be looked at.
    if (view.candidates->contains(view.current) && search_.would_take(current)) {
      search_.next(&current, 1, current);
      return view.current;
    }
    enabled_.clear();
    ids_.clear();
    view.candidates->for_each([&](ThreadId id) {
      enabled_.push_back(thread_of(view, id));
      ids_.push_back(id);
    });
    // Who yields is not preempted.
    const bool may_be_left = kIsBounded && !goes_on(view);
    const dpor::Thread next = search_.next(enabled_.begin(), static_cast<uint32_t>(enabled_.size()),
                                           may_be_left ? dpor::kNone : current);
    for (size_t i = 0; i < enabled_.size(); ++i) {
      if (enabled_[i] == next) return ids_[i];
    }
    return give_run_up();
  }

  void thread_created(ThreadId parent, ThreadId child) override {
    if (is_recorded_) recorded_.thread_created(parent, child);
    if (child < numbers_.size()) numbers_[child] = dpor::kNone;
  }

  uint32_t choose(const Question& question) override {
    if (is_recorded_) return question.is_logged ? recorded_.choose(question) : 1;
    if (question.is_settled || trail_->step_count == 0) return 0;
    // The step in which it is asked goes on.
    catch_up(trail_->step_count - 1);
    const TrailStep& step = trail_->steps[trail_->step_count - 1];
    return search_.choice(reader_.thread_of(step.path), step.choice_count, question.alternatives);
  }

  bool is_before_running(uint32_t step) override {
    catch_up(trail_->step_count - 1);
    return past_.precedes(reader_.event_of(step),
                          reader_.begun(trail_->steps[trail_->step_count - 1]));
  }

  void after_run(const channel::RunRecord& run) override {
    if (state_.finished) return;
    if (trail_->step_count == 0 || is_too_long()) {
      note_gap(TrailGap::too_long, 0);
      return desk_ ? end_run_of_unit(false, false) : void();
    }
    const bool has_ended = run.end.outcome == channel::Outcome::exited && trail_->step_count != 0;
    catch_up(trail_->step_count - has_ended);
    catch_up(trail_->step_count, true);
    if (trail_->is_given_up) search_.gave_up();
    tell_of_waits(trail_->waiting_count);
    const bool ends_matter = has_ended && trail_->leaves_threads && !reader_.do_ends_matter();
    if (ends_matter && !has_just_loaded_) reader_.ends_matter();
    if (share_) {
      if (knowledge_.has_more()) return begin_anew_with_others();
      if (share_->is_outdated()) return follow_others();
      if (run.newly_shared) return repeat_work();
    } else if (desk_) {
      if (knowledge_.has_more()) return desk_->learned();
      if (run.newly_shared) return desk_->repeat();
    } else {
      if (goes_on_again(run)) return;
      const bool is_finer = reader_.has_become_finer();
      if (ends_matter || run.newly_shared || trail_->has_learned || is_finer) return start_over();
    }
    note_gap(reader_.gap_of(*trail_, run), trail_->gap_pc);
    state_.assumptions |= trail_->assumptions;
    if (run.waits != 0 && !trail_->asks_spurious) state_.assumptions |= kWaitsNeedSignals;
    if (run.weak_orders != 0 && !trail_->is_weak) state_.assumptions |= kOrdersAreStrong;
    if (run.weak_compares != 0 && !trail_->asks_failures) {
      state_.assumptions |= kComparesNeedReasons;
    }
    const uint64_t executions_before = executions();
    redundant_before_ = search_.sleep_blocked_runs();
    const uint32_t origin = origin_of_run();
    const bool has_more = search_.end_run();
    if (search_.trouble() != dpor::Trouble::none) {
      const uint32_t at = search_.trouble_at();
      const dpor::Trouble trouble = search_.trouble();
      note_gap(trouble == dpor::Trouble::too_long      ? TrailGap::too_long
               : trouble == dpor::Trouble::not_enabled ? TrailGap::lost
                                                       : TrailGap::differs,
               at < trail_->step_count ? trail_->steps[at].pc : 0);
    }
    if constexpr (kIsBounded) {
      if (search_.has_begun_anew()) {
        reader_.start_over();
        state_ = kNothingExplored;
      }
      state_.bound = search_.bound();
    }
    if constexpr (kIsAround) state_.radius = search_.radius();
    const bool is_another = executions() > executions_before;
    if (tree_.is_kept()) add_to_tree(origin, is_another, run);
    const bool is_deadlock = run.end.outcome == channel::Outcome::deadlock;
    if (share_) {
      share_->note_locks(reader_.leaves_out_locks(), reader_.fails_to_lock());
      if (is_another) share_->note_run(trail_->is_blocked, is_deadlock, state_.assumptions);
      if (search_.sleep_blocked_runs() > redundant_before_) share_->note_redundant();
      if (search_.trouble() != dpor::Trouble::none) return share_->give_up();
      return share_->after_run(has_more);
    }
    if (desk_) {
      desk_->counts().deadlocks += is_another && is_deadlock;
      return end_run_of_unit(is_another, has_more);
    }
    if (trail_->is_weak) {
      if (is_another && !trail_->is_blocked) distinct_.end_run(trail_->graph);
      state_.is_weak = 1;
      state_.distinct = distinct_.count();
    }
    if (is_another) state_.blocked += trail_->is_blocked;
    if (is_another) state_.deadlocks += is_deadlock;
    state_.redundant = search_.sleep_blocked_runs();
    state_.is_reduced = 1;
    state_.explored = executions();
    state_.estimate = static_cast<uint64_t>(search_.estimate());
    state_.unexplored = state_.estimate > state_.explored ? state_.estimate - state_.explored : 1;
    if (has_more) return;
    state_.finished = 1;
    state_.unexplored = 0;
    state_.everything = state_.gap == TrailGap::none;
    if constexpr (!kIsWhole) state_.everything &= search_.is_everything();
  }

  void after_other_run(const channel::RunRecord& run) override {
    if (run.newly_shared) start_over();
  }

  bool inputs_vary() override { return false; }
  bool enumerates_draws() const override { return true; }

  channel::Exploration exploration() const override {
    return share_ ? share_->progress() : desk_ ? desk_->progress() : state_;
  }
  bool has_work() override {
    if (share_) return share_->has_work();
    if (!desk_) return true;
    bool begins;
    const bool has_unit = desk_->has_work(&begins);
    if (begins) {
      reader_.start_over();
      state_ = kNothingExplored;
    }
    return has_unit;
  }

  void keep_graph() override {
    if constexpr (!kIsBounded) {
      tree_.keep();
      search_.keep_origins();
    }
  }
  uint32_t draw_graph(channel::GraphNode* to, uint32_t room) const override {
    return tree_.draw(to, room);
  }
  uint64_t left_out_of_graph() const override { return tree_.left_out(); }

  uint64_t save(uint8_t* to, uint64_t room) override {
    if (!kIsWhole || state_.is_weak) return 0;
    if (desk_) {
      desk_->leave_part();
      return 0;
    }
    if (state_.finished || search_.runs() == 0 || search_.trouble() != dpor::Trouble::none)
      return 0;
    writer_.clear();
    write(writer_);
    const EngineVector<uint8_t>& bytes = writer_.bytes();
    if (bytes.size() > room) return 0;
    for (size_t i = 0; i < bytes.size(); ++i) to[i] = bytes[i];
    return bytes.size();
  }

  bool load(const uint8_t* from, uint64_t size) override {
    if (!kIsWhole) return false;
    loaded_ = from;
    loaded_size_ = size;
    return read_loaded();
  }

 private:
  static constexpr uint64_t kSavedVersion = 5;

  void write(dpor::ByteWriter& to) {
    to.number(kSavedVersion);
    to.number(state_.blocked);
    to.number(state_.deadlocks);
    to.number(state_.assumptions);
    to.number(static_cast<uint32_t>(state_.gap));
    to.number(state_.gap_pc);
    to.number(reader_.leaves_out_locks());
    to.number(reader_.fails_to_lock());
    knowledge_.write(to);
    if constexpr (kIsWhole) search_.write(to, reader_);
  }

  bool read_loaded() {
    dpor::ByteReader from(loaded_, loaded_size_);
    if (from.number() != kSavedVersion) return false;
    state_ = kNothingExplored;
    state_.blocked = from.number();
    state_.deadlocks = from.number();
    state_.assumptions = static_cast<uint32_t>(from.number(UINT32_MAX));
    state_.gap = static_cast<TrailGap>(from.number(static_cast<uint32_t>(TrailGap::lost)));
    state_.gap_pc = from.number();
    const bool leaves_out_locks = from.number(1) != 0;
    const bool fails_to_lock = from.number(1) != 0;
    reader_.note_locks(leaves_out_locks, fails_to_lock);
    reader_.forget_cells();
    bool is_good = knowledge_.read(from);
    if constexpr (kIsWhole) is_good = is_good && search_.read(from, reader_);
    if (!is_good || !from.is_at_end()) {
      start_over();
      return false;
    }
    has_just_loaded_ = true;
    state_.is_reduced = 1;
    state_.explored = executions();
    state_.estimate = static_cast<uint64_t>(search_.estimate());
    return true;
  }

  // The first run of a process presumes that memory is shared which is not: it is not as the next
  // ones. What was loaded is begun with once more, unless the run has shown something new.
  bool goes_on_again(const channel::RunRecord& run) {
    const bool is_first = has_just_loaded_;
    has_just_loaded_ = false;
    const bool is_new = trail_->has_learned || knowledge_.has_more_cells();
    if (!is_first || run.newly_shared == 0 || is_new || !read_loaded()) return false;
    has_just_loaded_ = false;
    return true;
  }

  uint64_t executions() const { return search_.runs() - search_.sleep_blocked_runs(); }

  // Tells the search of steps that it does not know yet. In a run that had a process of its own it
  // knows none of them.
  void catch_up(uint32_t steps, bool is_end = false) {
    for (; read_ < steps; ++read_) {
      uint32_t waits = waits_told_;
      while (waits < trail_->waiting_count && trail_->waiting[waits].enabled_after <= read_)
        ++waits;
      tell_of_waits(waits);
      const TrailStep& step = trail_->steps[read_];
      reader_.is_event(search_.event_count());
      if (step.is_in_vain) {
        search_.retract(reader_.thread_of(step.path));
      } else {
        const dpor::Action& action = reader_.action_of(*trail_, step, is_end);
        search_.executed(action);
        if (trail_->is_weak) note_weak(action);
      }
    }
  }

  void note_weak(const dpor::Action& action) {
    if constexpr (kIsWhole) {
      const dpor::Footprint footprint = search_.footprints()->of(action.parts, action.part_count);
      past_.add(action, footprint, dpor::kNoChoice);
      distinct_.add(action, footprint, reader_.name_of(action.thread), *search_.footprints());
    }
  }

  // Who waited, and does not any more.
  void tell_of_waits(uint32_t count) {
    for (; waits_told_ < count; ++waits_told_) {
      search_.blocked(reader_.waiting(*trail_, waits_told_));
    }
  }

  uint32_t origin_of_run() const {
    if constexpr (kIsBounded) return dpor::kNone;
    if constexpr (!kIsBounded) return search_.origin();
  }

  // The run that is over, and the reversals that it has planned.
  void add_to_tree(uint32_t origin, bool is_execution, const channel::RunRecord& run) {
    if constexpr (!kIsBounded) {
      tree_.add_run(origin, is_execution, trail_->is_blocked, run);
      for (uint32_t i = tree_.reversals(); i < search_.origins().size(); ++i) {
        const dpor::EventPair& pair = search_.origins()[i];
        tree_.add_reversal(place_of(pair.first, run), place_of(pair.second, run));
      }
      if (tree_.is_full()) search_.stop_origins();
    }
  }

  // Of an event of the run, or of what somebody waits for at its end.
  dpor::ExecutionTree::Place place_of(uint32_t event, const channel::RunRecord& run) const {
    if (event == dpor::kNone) return {};
    const TrailStep* step = nullptr;
    uint32_t at = 0;
    for (uint32_t i = 0; i < trail_->step_count && !step; ++i) {
      if (trail_->steps[i].is_in_vain) continue;
      if (at++ == event) step = &trail_->steps[i];
    }
    if (!step && event - at < trail_->waiting_count) step = &trail_->waiting[event - at];
    if (!step) return {};
    uint32_t thread = 0;
    const channel::Schedule& schedule = run.schedule;
    while (thread < schedule.thread_count && schedule.threads[thread].path != step->path) ++thread;
    return {thread, step->kind, step->pc};
  }

  bool is_too_long() const { return gives_up_long_runs_ && trail_->gap == TrailGap::too_long; }
  ThreadId give_run_up() {
    trail_->is_given_up = true;
    return kNoThread;
  }

  static ThreadId first_of(const View& view) {
    return view.candidates->contains(view.current) ? view.current : view.candidates->nth(0);
  }

  // The number of a thread in the search.
  dpor::Thread thread_of(const View& view, ThreadId id) {
    while (numbers_.size() <= id) numbers_.push_back(dpor::kNone);
    if (numbers_[id] == dpor::kNone) numbers_[id] = reader_.thread_of(view.path(id));
    return numbers_[id];
  }

  void note_gap(TrailGap gap, uintptr_t pc) {
    if (share_ && gap != TrailGap::none) share_->note_gap(gap, pc);
    if (state_.gap != TrailGap::none || gap == TrailGap::none) return;
    state_.gap = gap;
    state_.gap_pc = pc;
  }

  // A run of a unit of a divided search.
  void end_run_of_unit(bool is_another, bool has_more) {
    dpor::UnitCounts& counts = desk_->counts();
    counts.explored += is_another;
    counts.blocked += is_another && trail_->is_blocked;
    counts.redundant += search_.sleep_blocked_runs() > redundant_before_;
    counts.noted |=
        state_.assumptions | dpor::noted_locks(reader_.leaves_out_locks(), reader_.fails_to_lock());
    if (counts.gap == 0 && state_.gap != TrailGap::none) {
      counts.gap = static_cast<uint64_t>(state_.gap);
      counts.gap_pc = state_.gap_pc;
    }
    counts.is_broken |= search_.trouble() != dpor::Trouble::none || trail_->step_count == 0;
    desk_->after_run(has_more && !counts.is_broken);
  }

  // With other workers.
  void begin_anew_with_others() {
    share_->begin_anew();
    reader_.start_over();
    state_ = kNothingExplored;
  }
  void follow_others() {
    share_->follow_others();
    reader_.start_over();
    state_ = kNothingExplored;
  }
  void repeat_work() {
    if (!share_->repeat_work()) begin_anew_with_others();
  }

  void start_over() {
    tree_.clear();
    if (tree_.is_kept()) keep_graph();
    search_.restart();
    past_.clear();
    distinct_.clear();
    reader_.start_over();
    state_ = kNothingExplored;
  }

  ActionTrail* trail_ = dpor::new_trail();
  bool gives_up_long_runs_;
  LoopConditions conditions_{&trail_->loops};
  Search search_{&conditions_};
  // With weak memory.
  dpor::PrefixOrder past_{search_.footprints()};
  dpor::DistinctExecutions distinct_;
  dpor::TrailReader reader_;
  uint32_t read_ = 0;  // steps of the run
  uint32_t waits_told_ = 0;
  RecordedRun recorded_;
  bool is_recorded_ = false;  // the run follows it
  dpor::ProgramKnowledge knowledge_{trail_, &reader_};
  dpor::WorkShare* share_ = nullptr;  // with other workers
  dpor::UnitDesk* desk_ = nullptr;    // a unit at a time
  uint64_t redundant_before_ = 0;     // this run
  dpor::ExecutionTree tree_;
  channel::Exploration state_ = kNothingExplored;
  dpor::ByteWriter writer_;
  const uint8_t* loaded_ = nullptr;
  uint64_t loaded_size_ = 0;
  bool has_just_loaded_ = false;  // no run since
  EngineVector<dpor::Thread> enabled_;
  EngineVector<ThreadId> ids_;
  EngineVector<dpor::Thread> numbers_;  // by slot; kNone: not asked for yet
};

}  // namespace

JOSTLE_STRATEGY(kDpor) = {"dpor",
                          "all executions, each once, until there is none left",
                          {},
                          made<AllExecutions<dpor::ReducedSearch>>,
                          true};

JOSTLE_STRATEGY(kDporBound) = {
    "dpor-bound",
    "all executions that take at most k preemptions, until there is none left",
    {{"k", 2, 0, dpor::kMostPreemptions, "preemptions"}},
    made<AllExecutions<dpor::PreemptionSearch>>};

JOSTLE_STRATEGY(kDporAround) = {
    "dpor-around",
    "all executions at most k reversed races from that in --from FILE, until there is none left",
    {{"k", 2, 0, dpor::kMostReversals, "reversed races"}},
    made<AllExecutions<dpor::NeighbourSearch>>,
    true,
    StrategyTakes::schedule,
    true};

}  // namespace jostle
