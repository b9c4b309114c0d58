#include "src/engine/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/base/rng.h"
#include "src/engine/findings.h"
#include "src/engine/fork_executor.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/memory/modules.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/oracle/fatal_signals.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/start.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;
using channel::Outcome;
using channel::StopReason;

// Donors made ahead for the children; more than this they make themselves.
constexpr uint32_t kMostDonorsAhead = 256;

uint64_t real_now() {
  timespec t;
  REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

bool is_failure(const channel::Config& config, const channel::Failure& end) {
  if (end.outcome != Outcome::exited) return true;
  if (end.code == 0 || config.any_exit_code_ok) return false;
  return (config.exit_codes_ok[end.code / 64] >> (end.code % 64) & 1) == 0;
}

Strategy* strategy_of(const channel::Config& config) {
  Strategy* strategy = make_strategy(config.strategy);
  if (!strategy) {
    fprintf(stderr, "jostle: there is no strategy '%s'\n", config.strategy);
    REAL(_exit)(70);
  }
  return strategy;
}

// The output of the many runs interests nobody; a finding's output is captured when it is replayed.
void silence_output() {
  const int null = REAL(open)("/dev/null", O_RDWR);
  if (null < 0) return;
  dup2(null, 1);
  dup2(null, 2);
  if (null > 2) REAL(close)(null);
}

void rewind_stdin(const channel::Config& config) {
  if (!config.stdin_is_file) return;
  // A description of our own, so that runs do not share the file offset.
  const int fresh = REAL(open)("/proc/self/fd/0", O_RDONLY);
  if (fresh <= 0) return;
  dup2(fresh, 0);
  REAL(close)(fresh);
}

StopReason reason_to_stop(const channel::Channel& c, uint64_t schedules, uint64_t started) {
  if (c.status.stop_requested.load(std::memory_order_relaxed)) return StopReason::interrupted;
  if (!c.config.keep_going && c.status.findings.load()) return StopReason::finding;
  if (c.config.max_schedules && schedules >= c.config.max_schedules) return StopReason::budget;
  if (c.config.max_nanoseconds && real_now() - started >= c.config.max_nanoseconds) {
    return StopReason::time;
  }
  return StopReason::none;
}

void count(channel::Channel& c, Findings& findings, uint64_t number) {
  channel::RunRecord& run = c.record;
  channel::Status& status = c.status;
  status.steps.fetch_add(run.steps, std::memory_order_relaxed);
  status.events.fetch_add(run.events, std::memory_order_relaxed);
  status.outcomes[static_cast<int>(run.end.outcome)].fetch_add(1, std::memory_order_relaxed);
  if (run.max_live_threads > status.max_live_threads.load()) {
    status.max_live_threads.store(run.max_live_threads);
  }
  if (findings.is_new_digest(run.schedule.digest)) status.distinct.fetch_add(1);
  if (is_failure(c.config, run.end)) {
    status.failing_schedules.fetch_add(1);
    if (!status.first_failure_at.load()) status.first_failure_at.store(number);
    findings.add(c, number);
  }
  status.schedules.store(number, std::memory_order_release);
}

void fuzz(channel::Channel& c) {
  Strategy* strategy = strategy_of(c.config);
  silence_output();
  Findings findings;
  const uint64_t started = real_now();
  uint64_t number = c.config.first_schedule ? c.config.first_schedule : 1;
  c.status.phase.store(channel::Phase::running);
  for (;; ++number) {
    const StopReason stop = reason_to_stop(c, number - 1, started);
    if (stop != StopReason::none) {
      c.status.stop_reason.store(stop);
      break;
    }
    const uint32_t threads = c.status.max_live_threads.load();
    prepare_donors(threads < kMostDonorsAhead ? threads : kMostDonorsAhead);
    begin_sharing_run(number);
    g_scheduler.begin_run(strategy, mix_seeds(c.config.seed, number));
    g_scheduler.self().sharing_tag = sharing_tag_of(0);
    const ForkResult child = fork_run();
    if (child.in_child) {
      rewind_stdin(c.config);
      start_watchdog(c.config.run_nanoseconds);
      return;
    }
    if (!child.started) {
      snprintf(c.status.note, sizeof c.status.note, "cannot fork: %s", strerror(errno));
      c.status.stop_reason.store(StopReason::error);
      break;
    }
    settle_outcome(c.record, child.wait_status);
    count(c, findings, number);
  }
  c.status.phase.store(channel::Phase::finished);
  REAL(_exit)(0);
}

}  // namespace

void run_campaign() {
  channel::Channel& c = g_scheduler.channel();
  refresh_modules(c);
  if (c.config.mode == channel::Mode::fuzz) return fuzz(c);
  c.status.phase.store(channel::Phase::running);
  if (c.config.mode == channel::Mode::replay) {
    g_scheduler.begin_replay();
  } else {
    // The same seed as schedule 1 of a campaign: `run --seed N` shows what `fuzz --seed N` runs
    // first.
    g_scheduler.begin_run(strategy_of(c.config), mix_seeds(c.config.seed, 1));
  }
  start_watchdog(c.config.run_nanoseconds);
}

}  // namespace jostle::engine

namespace jostle::rt {
void before_main() {
  Thread* self = g_current;
  g_current = nullptr;  // the engine's own calls are not the program's
  engine::run_campaign();
  g_current = self;
}
}  // namespace jostle::rt
