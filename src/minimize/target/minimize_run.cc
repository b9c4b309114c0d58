// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/target/minimize_run.h"

#include <stdio.h>
#include <time.h>

#include "src/engine/executor.h"
#include "src/engine/findings.h"
#include "src/engine/run_outcome.h"
#include "src/engine/run_start.h"
#include "src/minimize/algorithm/input_shrinker.h"
#include "src/minimize/algorithm/minimizer.h"
#include "src/minimize/algorithm/scenario_shrinker.h"
#include "src/runtime/api/draw_calls.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/strategy/strategies.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;
using channel::FindingRole;
using channel::StopReason;
using Verdict = Minimizer::Verdict;

// Of the time there is: what leaving out may take, and what the proof that there is nothing smaller
// may take besides. The rest is for neighbours.
constexpr double kShareOfMinimizer = 0.6;
constexpr double kShareOfProof = 0.25;
constexpr uint64_t kLongestProof = 300'000'000;
// More than this many preemptions are not searched for exhaustively: there is no end to it.
constexpr uint64_t kProvable = 3;
// Neighbours that pass, and differ. Among a few the nearest is chosen, but each is to be recorded.
constexpr uint32_t kNeighbours = 6;
constexpr uint64_t kLongestForMoreNeighbours = 150'000'000;
// What fails without any preemption mostly fails whatever the schedule: no long search then.
constexpr uint64_t kLongestForPlainFailure = 300'000'000;
// Runs that never end are long, and how they came to that shows early.
constexpr uint64_t kLongestForLivelock = 500'000'000;
// Where no small change helps any other schedule that passes has to do.
constexpr uint32_t kAnySchedules = 3000;
// What the search for a smaller input may take, and how many schedules one input gets: few at
// first, many once few bring nothing any more, because a small input may fail with few of its
// schedules only.
constexpr double kShareOfInput = 0.4;
// … and leaving out two stretches at a time, of which there are hundreds.
constexpr double kShareOfPairs = 0.25;
constexpr uint64_t kLongestForPairs = 600'000'000;
// … and scenarios of a few of its operations, which are many but small.
constexpr double kShareOfScenario = 0.25;
constexpr uint32_t kSchedulesPerScenario[] = {10, 60};
constexpr uint32_t kFewSchedulesPerInput = 12;
constexpr uint32_t kSchedulesPerPair = 18;
constexpr uint32_t kMostSchedulesPerInput = 800;
constexpr const char* kOtherStrategies[] = {"pos", "random", "pct:d=2"};
constexpr uint32_t kOthers = 3;

// Does it need weak memory? So many sequentially consistent schedules are tried, in that share of
// the time.
constexpr uint64_t kSequentialSchedules = 500;
constexpr double kShareOfSequential = 0.15;

// A candidate that runs so much longer than the original is no improvement.
constexpr uint64_t kLongerRun = 20;
constexpr uint64_t kLeastSteps = 10'000;

uint64_t real_now() {
  timespec t;
  REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

class Minimization {
 public:
  explicit Minimization(channel::Channel* channel)
      : c_(*channel),
        executor_(*channel),
        minimizer_(*make_in_engine_memory<Minimizer>(channel->input)),
        started_(real_now()) {
    g_inputs = make_in_engine_memory<GivenInputs>(c_.draws);
    for (uint32_t i = 0; i < kOthers; ++i) others_[i] = make_strategy(kOtherStrategies[i]);
  }

  void run() {
    executor_.start();
    c_.status.phase.store(channel::Phase::running);
    const bool livelock =
        c_.config.expected_end == static_cast<uint32_t>(channel::Outcome::livelock);
    const uint64_t time = livelock && c_.config.max_nanoseconds > kLongestForLivelock
                              ? kLongestForLivelock
                              : c_.config.max_nanoseconds;
    const auto whole = static_cast<double>(time);
    const auto first_deadline = started_ + static_cast<uint64_t>(whole * kShareOfMinimizer);
    bool proven = false;
    reproduce(first_deadline);
    if (!minimizer_.has_reproduced()) return;
    // The input first: what is left out of it need not be scheduled.
    const auto input_deadline = started_ + static_cast<uint64_t>(whole * kShareOfInput);
    for (uint32_t n = kFewSchedulesPerInput; n <= kMostSchedulesPerInput; n *= 4) {
      if (shrink_input(input_deadline, n) || n == kFewSchedulesPerInput) leave_out(first_deadline);
    }
    const auto scenario_deadline = real_now() + static_cast<uint64_t>(whole * kShareOfScenario);
    for (const uint32_t n : kSchedulesPerScenario) {
      if (shrink_scenario(scenario_deadline, n)) leave_out(first_deadline);
    }
    const auto share_of_pairs = static_cast<uint64_t>(whole * kShareOfPairs);
    const uint64_t time_for_pairs =
        share_of_pairs < kLongestForPairs ? share_of_pairs : kLongestForPairs;
    if (shrink_input(real_now() + time_for_pairs, kSchedulesPerPair, true)) {
      leave_out(first_deadline);
    }
    try_sequential(real_now() + static_cast<uint64_t>(whole * kShareOfSequential));
    do {
      leave_out(first_deadline);
      const auto share = static_cast<uint64_t>(whole * kShareOfProof);
      proven = !prove(real_now() + (share < kLongestProof ? share : kLongestProof));
    } while (!proven && found_better_ && real_now() < first_deadline);
    hand_over(proven && proof_complete_ ? FindingRole::minimum : FindingRole::failure);
    find_neighbours(started_ + time);
  }

 private:
  bool time_is_up(uint64_t deadline) const {
    return real_now() >= deadline || c_.status.stop_requested.load(std::memory_order_relaxed);
  }

  void run_once(Strategy* strategy) {
    Executor::Result result;
    ++number_;
    do {
      begin_schedule(c_, strategy, number_);
      result = executor_.run(number_);
    } while (result == Executor::Result::again);
    if (result == Executor::Result::failed) finish_campaign(c_, StopReason::error);
    c_.status.runs.fetch_add(1, std::memory_order_relaxed);
    c_.status.schedules.store(number_, std::memory_order_release);
  }

  Verdict verdict() const {
    const channel::RunRecord& run = c_.record;
    if (!is_failure(c_.config, run.end)) {
      // Ended for its length, it might have failed yet.
      const bool ended = run.end.outcome == channel::Outcome::exited;
      return ended ? Verdict::passes : Verdict::other;
    }
    if (minimizer_.has_reproduced()) {
      return essence_of(run) == essence_ ? Verdict::same_failure : Verdict::other;
    }
    const bool expected =
        c_.config.failure != 0
            ? signature_of(run) == c_.config.failure
            : run.end.outcome == static_cast<channel::Outcome>(c_.config.expected_end);
    return expected ? Verdict::same_failure : Verdict::other;
  }

  void reproduce(uint64_t deadline) {
    while (!minimizer_.has_reproduced() && !time_is_up(deadline) && try_candidate()) {
    }
  }

  void leave_out(uint64_t deadline) {
    while (!time_is_up(deadline) && try_candidate()) {
    }
  }

  // False: there is none.
  bool try_candidate() {
    if (!minimizer_.next_candidate()) return false;
    run_once(&minimizer_);
    const bool first = !minimizer_.has_reproduced();
    if (!minimizer_.judge(c_.record, verdict())) return true;
    if (first) know_original();
    keep_best();
    return true;
  }

  // A smaller input with, first of all, the schedule there is; but another input may need another
  // schedule, so that it gets a few chances. True: a smaller one was found.
  bool shrink_input(uint64_t deadline, uint32_t schedules_per_input, bool in_pairs = false) {
    if (best_draws_.count == 0) return false;
    bool smaller = false;
    shrinker_.start(best_draws_, in_pairs);
    while (!time_is_up(deadline) && shrinker_.next(c_.draws)) {
      if (!fails_under_some(schedules_per_input)) {
        shrinker_.passes();
      } else if (shrinker_.fails(c_.record.draws)) {
        minimizer_.adopt(c_.record);
        keep_best(true);
        smaller = true;
      }
    }
    copy_draws(best_draws_, c_.draws);
    return smaller;
  }

  // The input in the channel: first with the smallest schedule there is, then with others.
  bool fails_under_some(uint32_t schedules) {
    for (uint32_t attempt = 0; attempt < schedules; ++attempt) {
      if (attempt == 0) minimizer_.follow_best();
      run_once(attempt == 0 ? &minimizer_ : others_[attempt % kOthers]);
      if (verdict() == Verdict::same_failure && !c_.record.log_overflow) return true;
    }
    return false;
  }

  // A few of its operations may do, and need another schedule than all of them.
  bool shrink_scenario(uint64_t deadline, uint32_t schedules) {
    if (!scenarios_.start(best_draws_)) return false;
    bool smaller = false;
    while (!smaller && !time_is_up(deadline) && scenarios_.next(c_.draws)) {
      smaller =
          fails_under_some(schedules) && is_simpler(c_.record.draws.list, c_.record.draws.count,
                                                    best_draws_.list, best_draws_.count);
    }
    if (smaller) {
      minimizer_.adopt(c_.record);
      keep_best(true);
    }
    copy_draws(best_draws_, c_.draws);
    return smaller;
  }

  // The same failure in a run whose memory is not weak costs less than any other.
  void try_sequential(uint64_t deadline) {
    const channel::MemoryModel model = c_.config.memory;
    c_.config.memory = channel::MemoryModel::sequential;
    for (uint64_t i = 0; i < kSequentialSchedules && minimizer_.cost().of_memory != 0; ++i) {
      if (time_is_up(deadline)) break;
      run_once(others_[i % kOthers]);
      const Verdict ended = verdict();
      if (ended == Verdict::same_failure && minimizer_.take(c_.record)) {
        keep_best(true);
      } else if (ended == Verdict::passes) {
        c_.status.sequential_schedules.fetch_add(1, std::memory_order_relaxed);
      }
    }
    c_.config.memory = model;
  }

  void know_original() {
    essence_ = essence_of(c_.record);
    const uint64_t steps = c_.record.steps * kLongerRun + kLeastSteps;
    const bool endless = c_.record.end.outcome == channel::Outcome::step_limit;
    if (!endless && (c_.config.max_steps == 0 || steps < c_.config.max_steps)) {
      c_.config.max_steps = steps;
    }
  }

  // All schedules that cost less, as far as time allows; then all with fewer preemptions, whatever
  // else is chosen in them. True: one of them fails.
  bool prove(uint64_t deadline) {
    proof_complete_ = found_better_ = false;
    const uint64_t preemptions = minimizer_.cost().preemptions;
    const uint64_t changes = minimizer_.cost().of_memory + preemptions + minimizer_.cost().choices;
    if (changes > 0 && changes <= kProvable &&
        try_all(changes - 1, "cost", deadline) == Tried::better) {
      return found_better_ = true;
    }
    if (preemptions == 0) {
      proof_complete_ = true;
    } else if (preemptions <= kProvable) {
      const Tried tried = try_all(preemptions - 1, "free", deadline);
      found_better_ = tried == Tried::better;
      proof_complete_ = tried == Tried::all;
    }
    return found_better_;
  }

  enum class Tried { all, some, better };
  Tried try_all(uint64_t bound, const char* choices, uint64_t deadline) {
    char spec[64];
    snprintf(spec, sizeof spec, "preemption-bound:c=%u,choices=%s", static_cast<unsigned>(bound),
             choices);
    Strategy* all = make_strategy(spec);
    bool all_ended = true;
    while (!time_is_up(deadline)) {
      run_once(all);
      all_ended &= came_to_its_end(c_.record);
      if (verdict() == Verdict::same_failure && minimizer_.take(c_.record)) {
        keep_best();
        return Tried::better;
      }
      // With more stale reads fewer preemptions may do: that is not smaller, but there is one.
      if (verdict() == Verdict::same_failure) all_ended = false;
      all->after_run(c_.record);
      if (exploration_of(*all).finished) return all_ended ? Tried::all : Tried::some;
    }
    return Tried::some;
  }

  // What a run that was ended for its length would have done is not known.
  static bool came_to_its_end(const channel::RunRecord& run) {
    const channel::Outcome end = run.end.outcome;
    return end != channel::Outcome::step_limit && end != channel::Outcome::timed_out &&
           end != channel::Outcome::cut_off && end != channel::Outcome::stopped &&
           !run.log_overflow;
  }

  // The smallest run so far is the one in the record: it is handed over when it is so much smaller
  // that losing it would be a pity, and kept for the end.
  void keep_best(bool other_input = false) {
    copy_schedule(c_.record.schedule, best_);
    copy_draws(c_.record.draws, best_draws_);
    best_end_ = c_.record.end;
    if (!other_input && handed_over_ != 0 &&
        best_.segment_count * uint64_t{10} > handed_over_ * uint64_t{9})
      return;
    handed_over_ = best_.segment_count;
    append_finding(c_, number_, c_.config.failure, c_.record.end, FindingRole::failure);
  }

  void hand_over(FindingRole role) {
    copy_schedule(best_, c_.record.schedule);
    copy_draws(best_draws_, c_.record.draws);
    c_.record.end = best_end_;
    append_finding(c_, number_, c_.config.failure, c_.record.end, role);
  }

  void find_neighbours(uint64_t deadline) {
    uint32_t found = 0;
    const uint64_t plain_deadline = real_now() + kLongestForPlainFailure;
    if (minimizer_.cost().preemptions == 0 && plain_deadline < deadline) deadline = plain_deadline;
    const uint64_t enough = real_now() + kLongestForMoreNeighbours;
    while (found < kNeighbours &&
           !time_is_up(found == 0 || deadline < enough ? deadline : enough)) {
      if (!minimizer_.next_neighbour()) break;
      run_once(&minimizer_);
      if (!keep_neighbour(found)) continue;
      minimizer_.neighbour_passed();
    }
    for (uint32_t i = 0; i < kAnySchedules && found == 0 && !time_is_up(deadline); ++i) {
      run_once(others_[i % kOthers]);
      keep_neighbour(found);
    }
  }

  // The last run, if it passes and did something else than those that are kept already.
  bool keep_neighbour(uint32_t& found) {
    if (verdict() != Verdict::passes || c_.record.log_overflow) return false;
    for (uint32_t i = 0; i < found; ++i) {
      if (kept_[i] == c_.record.schedule.digest) return true;
    }
    append_finding(c_, number_, 0, c_.record.end, FindingRole::passes);
    kept_[found++] = c_.record.schedule.digest;
    return true;
  }

  channel::Channel& c_;
  Executor executor_;
  Minimizer& minimizer_;
  // The channel's input is used up once the minimiser has read it.
  channel::Schedule& best_ = c_.input;
  channel::Draws& best_draws_ =
      *static_cast<channel::Draws*>(engine_allocate(sizeof(channel::Draws)));
  InputShrinker& shrinker_ = *make_in_engine_memory<InputShrinker>();
  ScenarioShrinker& scenarios_ = *make_in_engine_memory<ScenarioShrinker>();
  Strategy* others_[kOthers];
  channel::Failure best_end_ = {};
  uint64_t essence_ = 0;
  uint64_t handed_over_ = 0;  // segments of the last one
  uint64_t number_ = 0;
  uint64_t kept_[kNeighbours] = {};  // digests of neighbours
  bool proof_complete_ = false;
  bool found_better_ = false;
  uint64_t started_;
};

}  // namespace

void minimize_schedule() {
  g_current = nullptr;  // the engine's own calls are not the program's
  channel::Channel& c = g_scheduler.channel();
  silence_output();
  make_in_engine_memory<Minimization>(&c)->run();
  finish_campaign(c, StopReason::exhausted);
}

}  // namespace jostle::engine
