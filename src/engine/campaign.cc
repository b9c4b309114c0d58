// SPDX-License-Identifier: Apache-2.0
#include "src/engine/campaign.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "src/base/hash.h"
#include "src/base/rng.h"
#include "src/engine/code_coverage.h"
#include "src/engine/executor.h"
#include "src/engine/findings.h"
#include "src/engine/input_fuzzer.h"
#include "src/engine/integrity.h"
#include "src/engine/reference/reference_process.h"
#include "src/engine/rehearsal.h"
#include "src/engine/run_outcome.h"
#include "src/engine/run_start.h"
#include "src/engine/self_check.h"
#include "src/engine/step_driver.h"
#include "src/minimize/target/minimize_run.h"
#include "src/runtime/api/draw_calls.h"
#include "src/runtime/coverage/coverage.h"
#include "src/runtime/history/run_results.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/early_descriptors.h"
#include "src/runtime/interpose/state/file_changes.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/result_end.h"
#include "src/runtime/oracle/watchdog.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/waits/spurious.h"
#include "src/runtime/snapshot/leave.h"
#include "src/runtime/start/start.h"
#include "src/schedule/before_main.h"
#include "src/strategy/inputs/input_search.h"
#include "src/strategy/strategies.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;
using channel::StopReason;

uint64_t real_now() {
  timespec t;
  REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

Strategy* strategy_of(const channel::Channel& c) {
  const StrategyInput input = {.bytes = c.bytes,
                               .byte_count = c.config.byte_count,
                               .schedule = c.config.has_input ? &c.input : nullptr,
                               .hub = g_hub,
                               .worker = c.config.worker,
                               .workers = c.config.workers,
                               .part = c.config.part,
                               .parts = c.config.parts == 0 ? 1 : c.config.parts};
  Strategy* strategy = make_strategy(c.config.strategy, input);
  if (!strategy) {
    fprintf(stderr, "jostle: there is no strategy '%s'\n", c.config.strategy);
    REAL(_exit)(70);
  }
  Explorer* explorer = strategy->parts().explorer;
  if (c.config.keep_graph && explorer) explorer->keep_graph();
  return strategy;
}

// False: the strategy can work only with one input.
bool can_vary_inputs(Strategy& strategy) {
  Explorer* explorer = strategy.parts().explorer;
  return !explorer || explorer->inputs_vary();
}

bool enumerates_draws(Strategy& strategy) {
  const Explorer* explorer = strategy.parts().explorer;
  return explorer && explorer->enumerates_draws();
}

// An earlier campaign was interrupted, and the user wants to go on from there.
void go_on_from_before(channel::Channel& c, Strategy& strategy) {
  Explorer* explorer = strategy.parts().explorer;
  const uint64_t size = g_hub ? g_hub->search_before.size.load() : 0;
  if (size == 0 || size > SavedSearch::kMost) return;
  if (explorer && explorer->load(g_hub->search_before.bytes, size)) return;
  snprintf(c.status.note, sizeof c.status.note,
           "what the earlier search left cannot be read: without --resume it begins anew");
  finish_campaign(c, StopReason::error);
}

// For a campaign that goes on from here.
void leave_to_next(Strategy& strategy, StopReason stop) {
  Explorer* explorer = strategy.parts().explorer;
  const bool was_cut_short =
      stop == StopReason::interrupted || stop == StopReason::time || stop == StopReason::budget;
  if (!g_hub || !explorer || !was_cut_short) return;
  g_hub->search_left.size.store(explorer->save(g_hub->search_left.bytes, SavedSearch::kMost));
}

// The progress display is not in a hurry.
constexpr uint64_t kSharesEvery = 1024;

bool has_found(const channel::Channel& c) {
  return !c.config.keep_going && c.status.findings.load() != c.status.noted_findings.load();
}

StopReason reason_to_stop(const channel::Channel& c, uint64_t schedules, uint64_t started) {
  if (c.status.stop_requested.load(std::memory_order_relaxed)) return StopReason::interrupted;
  if (has_found(c)) return StopReason::finding;
  if (c.status.exploration.finished) return StopReason::exhausted;
  if (c.config.max_schedules && schedules >= c.config.max_schedules) return StopReason::budget;
  if (c.config.max_nanoseconds && real_now() - started >= c.config.max_nanoseconds) {
    return StopReason::time;
  }
  return StopReason::none;
}

// Other workers have all that is left to do, for now.
StopReason wait_for_work(channel::Channel& c, Strategy& strategy, uint64_t number,
                         uint64_t started) {
  Explorer* explorer = strategy.parts().explorer;
  StopReason stop = StopReason::none;
  while (explorer && stop == StopReason::none && !explorer->has_work()) {
    c.status.exploration = explorer->exploration();
    stop = reason_to_stop(c, number - 1, started);
    if (stop != StopReason::none) break;
    c.status.idle.store(1, std::memory_order_relaxed);
    const timespec moment = {0, 100'000};
    REAL(nanosleep)(&moment, nullptr);
  }
  c.status.idle.store(0, std::memory_order_relaxed);
  return stop;
}

void count_early_end(channel::Status& status, const char* why) {
  for (channel::EndedEarly& each : status.ended_early) {
    constexpr size_t kMost = sizeof each.why - 1;
    if (each.why[0] == '\0')
      snprintf(each.why, sizeof each.why, "%.*s", static_cast<int>(kMost), why);
    if (strncmp(each.why, why, kMost) != 0) continue;
    each.runs.fetch_add(1, std::memory_order_relaxed);
    return;
  }
}

void count(channel::Channel& c, Findings& findings, uint64_t number) {
  channel::RunRecord& run = c.record;
  channel::Status& status = c.status;
  status.steps.fetch_add(run.steps, std::memory_order_relaxed);
  status.events.fetch_add(run.events, std::memory_order_relaxed);
  status.outcomes[static_cast<int>(run.end.outcome)].fetch_add(1, std::memory_order_relaxed);
  if (run.end.outcome == channel::Outcome::stopped && !run.rejected) {
    count_early_end(status, run.end.message);
  }
  if (run.max_live_threads > status.max_live_threads.load()) {
    status.max_live_threads.store(run.max_live_threads);
  }
  uint64_t traces = combine(status.traces.load(std::memory_order_relaxed), run.schedule.digest);
  traces = combine(traces, run.events << 16 ^ static_cast<uint64_t>(run.end.outcome) << 8 ^
                               static_cast<uint32_t>(run.end.code));
  status.traces.store(traces, std::memory_order_relaxed);
  if (g_hub) {
    g_hub->traces.insert(run.schedule.digest);
    g_hub->reads_from_sets.count(run.reads_from);
  }
  status.timer_expiries.fetch_add(run.timer_expiries, std::memory_order_relaxed);
  if (run.rejected) status.rejected.fetch_add(1, std::memory_order_relaxed);
  if (is_failure(c.config, run.end)) {
    status.failing_schedules.fetch_add(1);
    if (!status.first_failure_at.load()) status.first_failure_at.store(number);
    findings.add(c, number);
  }
  const uint32_t races = c.config.fail_on & channel::kCheckRace ? 0 : run.race_count;
  for (uint32_t i = 0; i < races; ++i) {
    const bool enough = findings.note(c, number, run.races[i]);
    if (enough && g_hub) g_hub->races.insert(run.races[i].key);
  }
  status.runs.fetch_add(1, std::memory_order_relaxed);
  status.schedules.store(number, std::memory_order_release);
}

// The command is about to run the program itself, which changes files that our runs use, too.
void pause_if_asked(channel::Status& status) {
  if (!status.pause_requested.load(std::memory_order_relaxed)) return;
  status.paused.store(1);
  while (status.pause_requested.load() && !status.stop_requested.load()) {
    const timespec moment = {0, 1'000'000};
    REAL(nanosleep)(&moment, nullptr);
  }
  status.paused.store(0);
}

// All schedules of a small program were run, but none in which a wait ends without a signal or a
// compare_exchange_weak fails without a reason. Some of these are tried, too, before it is said, if
// the strategy is one that also samples.
class WithSpuriousWaits {
 public:
  WithSpuriousWaits(const channel::Channel& channel, Strategy& strategy)
      : wanted_(channel.config.spurious == channel::SpuriousWakeups::rarely &&
                strategy.parts().ends_with_spurious_waits) {}

  void after_run(const channel::RunRecord& run) {
    may_happen_ = may_happen_ || run.waits != 0 || run.weak_compares != 0;
  }
  bool active() const { return strategy_ != nullptr; }
  Strategy* strategy() const { return strategy_; }

  // False: it is done, or there is nothing to do.
  bool begins_or_goes_on() {
    if (!wanted_ || !may_happen_ || left_ == 0) return false;
    --left_;
    if (!strategy_) {
      strategy_ = make_strategy("pos");
      g_spurious.insist();
    }
    return true;
  }

 private:
  bool wanted_;
  bool may_happen_ = false;
  uint32_t left_ = 256;
  Strategy* strategy_ = nullptr;
};

// From now on memory is weak, or not any more: is what was explored so far not what there is?
// Several processes explore together, and know that they do not see all of it then.
bool explores_again(const channel::Channel& c, Strategy& strategy) {
  return c.config.memory == channel::MemoryModel::automatic && c.config.workers == 1 &&
         exploration_of(strategy).explored != 0;
}

// Rewinding was insisted on.
[[noreturn]] void refuse(channel::Channel& c) {
  snprintf(c.status.note, sizeof c.status.note, "the program cannot be rewound: it %s",
           c.status.executor_note);
  c.status.executor_note[0] = '\0';
  finish_campaign(c, StopReason::error);
}

// All schedules of a program are explored only when the program is always the same.
[[noreturn]] void refuse_inputs(channel::Channel& c) {
  snprintf(
      c.status.note, sizeof c.status.note,
      "the strategy %s explores all schedules of one input, but here are many: use another, or "
      "no inputs",
      c.config.strategy);
  finish_campaign(c, StopReason::error);
}

// The engine: runs on a stack of its own while the program waits at the entry of main.
[[noreturn]] void fuzz() {
  g_current = nullptr;  // the engine's own calls are not the program's
  channel::Channel& c = g_scheduler.channel();
  Strategy* strategy = strategy_of(c);
  auto* inputs = make_in_engine_memory<InputSearch>(c.config.worker, c.config.workers);
  g_inputs = inputs;
  // What a strategy is given to begin with is a schedule of one input.
  const bool input_is_given = c.config.has_input && c.draws.count != 0;
  if (input_is_given) g_inputs = make_in_engine_memory<GivenInputs>(c.draws);
  CodeCoverage coverage;
  if (g_cover_descriptor >= 0) g_coverage.fill_table(g_cover_descriptor);
  InputFuzzer files(c);
  files.start();
  coverage.start();
  if (files.active() && !can_vary_inputs(*strategy)) refuse_inputs(c);
  if (c.config.workers == 1) go_on_from_before(c, *strategy);
  silence_output();  // a finding's output is captured when it is replayed
  Findings findings(files);
  Executor executor(c);
  executor.start();
  Integrity integrity(c);
  integrity.note();
  SelfCheck check(c, executor);
  WithSpuriousWaits spurious(c, *strategy);
  const uint64_t started = real_now();
  uint64_t number = c.config.first_schedule ? c.config.first_schedule : 1;
  c.status.phase.store(channel::Phase::running);
  for (;; number += c.config.workers) {
    pause_if_asked(c.status);
    StopReason stop = reason_to_stop(c, number - 1, started);
    if (stop == StopReason::none && !spurious.active()) {
      stop = wait_for_work(c, *strategy, number, started);
    }
    const bool ran_all = stop == StopReason::exhausted || stop == StopReason::budget;
    if (ran_all && !check.holds_at_end() && !c.config.has_input) {
      // What was explored is not what a process of its own does: all of it once more.
      strategy = strategy_of(c);
      c.status.exploration = exploration_of(*strategy);
      stop = reason_to_stop(c, number - 1, started);
    }
    if (stop == StopReason::exhausted && spurious.begins_or_goes_on()) {
      strategy = spurious.strategy();
      stop = StopReason::none;
    }
    if (!(stop == StopReason::none ? integrity.holds_at(number) : integrity.holds())) {
      snprintf(c.status.note, sizeof c.status.note,
               "the program wrote into jostle's own memory: try --executor=fork");
      finish_campaign(c, StopReason::error);
    }
    if (stop != StopReason::none) {
      const Explorer* explorer = strategy->parts().explorer;
      if (c.config.keep_graph && explorer) {
        c.status.graph_left_out.store(explorer->left_out_of_graph());
        c.status.graph_count.store(explorer->draw_graph(c.graph, channel::kMaxGraphNodes));
      }
      if (c.config.workers == 1 && !spurious.active()) leave_to_next(*strategy, stop);
      finish_campaign(c, stop);
    }
    coverage.begin();
    files.begin(number);
    Executor::Result result;
    do {
      if (executor.refused()) refuse(c);
      begin_schedule(c, strategy, number);
      result = executor.run(number);
    } while (result == Executor::Result::again);
    if (result == Executor::Result::failed) finish_campaign(c, StopReason::error);
    g_scheduler.note_length(c.record.events);
    const bool was_weak = g_weak.has_met_weak_orders();
    g_weak.learn(c.record);
    coverage.after_run(c.record);
    if (c.record.draws.count != 0 && !input_is_given) {
      if (!enumerates_draws(*strategy) && !can_vary_inputs(*strategy)) refuse_inputs(c);
      inputs->after_run(c.record);
      c.status.inputs.store(inputs->kept(), std::memory_order_relaxed);
    }
    files.after_run();
    strategy->after_run(c.record);
    if (was_weak != g_weak.has_met_weak_orders() && explores_again(c, *strategy)) {
      strategy = strategy_of(c);
    }
    if (!spurious.active()) c.status.exploration = exploration_of(*strategy);
    spurious.after_run(c.record);
    const Shares* shares = strategy->parts().shares;
    if (shares && number % kSharesEvery < c.config.workers) {
      shares->describe(c.status.shares, sizeof c.status.shares);
    }
    count(c, findings, number);
    // What ends the campaign is confirmed in a fresh process anyway.
    if (!has_found(c)) check.after_run();
    if (executor.snapshot_is_new()) integrity.note();
  }
}

// The run that somebody steps through is the process itself: it ends as the program does.
[[noreturn]] void step() {
  g_current = nullptr;
  channel::Channel& c = g_scheduler.channel();
  const uint64_t number = rehearse(c, c.step.rehearsals);
  // A debugger that the command starts is no ancestor of ours: allow it all the same.
  REAL(prctl)(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  begin_schedule(c, make_strategy("none"), number);
  g_scheduler.oversee(make_in_engine_memory<StepDriver>(&c));
  start_watchdog(c.config.run_nanoseconds);
  c.status.phase.store(channel::Phase::running);
  become_run();
}

}  // namespace

void run_campaign() {
  channel::Channel& c = g_scheduler.channel();
  refresh_modules(c);
  if (several_threads()) c.status.uncontrolled.fetch_or(channel::kThreadsBeforeMain);
  // Threads that came and went before main are no part of any run: each begins with one thread.
  if (g_scheduler.is_alone()) note_only_thread();
  c.files.care = c.config.file_care;
  if (c.files.care != channel::FileCare::none) g_file_journal = &c.files;
  if (c.config.mode == channel::Mode::probe) finish_campaign(c, StopReason::none);
  if (!several_threads()) watch_unseen_orders();
  if (become_reference_or_start_it()) return;
  if (c.config.mode != channel::Mode::fuzz || c.config.minimize) learn_words();
  if (c.config.mode == channel::Mode::fuzz) {
    return start_engine(c.config.minimize ? minimize_schedule : fuzz);
  }
  if (c.config.mode == channel::Mode::step) return start_engine(step);
  if (g_results_wanted) keep_output(true);
  c.status.phase.store(channel::Phase::running);
  keep_early_descriptors();
  renew_early_descriptors();
  if (c.config.mode == channel::Mode::replay) {
    g_inputs = make_in_engine_memory<GivenInputs>(c.draws);
    g_scheduler.begin_replay();
  } else {
    if (c.config.has_input) {
      g_inputs = make_in_engine_memory<GivenInputs>(c.draws);
    } else {
      g_inputs = make_in_engine_memory<InputSearch>();
      g_inputs->begin(mix_seeds(c.config.seed, 1));
    }
    // The same seed as schedule 1 of a campaign: `run --seed N` shows what `fuzz --seed N` runs
    // first.
    const uint64_t seed = mix_seeds(c.config.seed, 1);
    g_scheduler.begin_run(begin_run_of(*strategy_of(c), {seed}), seed);
    g_scheduler.presume_sharing();
  }
  start_watchdog(c.config.run_nanoseconds);
}

}  // namespace jostle::engine

namespace jostle::rt {
void run_program() {
  Thread* self = g_current;
  g_current = nullptr;  // the engine's own calls are not the program's
  engine::run_campaign();
  g_current = self;
}
}  // namespace jostle::rt
