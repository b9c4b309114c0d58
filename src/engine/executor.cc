// SPDX-License-Identifier: Apache-2.0
#include "src/engine/executor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/check.h"
#include "src/engine/fork_executor.h"
#include "src/engine/run_outcome.h"
#include "src/engine/run_start.h"
#include "src/files/journal.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/early_descriptors.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/oracle/watchdog.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"
#include "src/runtime/snapshot/snapshot.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;

// Donors made ahead; a run that needs more makes its own.
constexpr uint32_t kDonorsAtFirst = 8;

// Some more than the last run needed, if it had too few. The same for both ways: then their traces
// are the same, too.
void prepare_donors_for(const channel::RunRecord& run) {
  if (run.max_slots > donor_count()) prepare_donors(run.max_slots + run.max_slots / 2);
}

}  // namespace

void Executor::start() {
  const channel::Executor wanted = channel_.config.executor;
  prepare_donors(kDonorsAtFirst);
  keep_early_descriptors();
  keep_open_files();
  if (wanted == channel::Executor::fork) {
    channel_.status.executor.store(channel::Executor::fork);
    return;
  }
  if (const char* why = take_snapshot()) {
    use_processes(why);
    return;
  }
  rewinds_ = true;
  channel_.status.executor.store(channel::Executor::snapshot);
  start_watchdog(channel_.config.run_nanoseconds);
}

void Executor::use_processes(const char* why) {
  rewinds_ = false;
  refused_ = channel_.config.executor == channel::Executor::snapshot;
  auto& note = channel_.status.executor_note;
  snprintf(note, sizeof note, "%.*s", static_cast<int>(sizeof note) - 1, why);
  channel_.status.executor.store(channel::Executor::fork);
}

Executor::Result Executor::run(uint64_t number) {
  return rewinds_ ? run_here(number) : run_in_child();
}

Executor::Result Executor::run_here(uint64_t number) {
  watch_run(number);
  renew_early_descriptors();
  const Leaving how = enter_run();
  const uint32_t missing = donors_missing();
  if (g_hub) g_hub->traces.expect(channel_.record.schedule.digest);
  rewind_to_snapshot();
  files::put_back(channel_.files);
  if (how == Leaving::needs_process) {
    use_processes(why_process_needed());
    return Result::again;
  }
  if (missing) renew_snapshot();
  return Result::done;
}

// The run had more threads than there were donors. Those it made are of no use any more, because
// libc has forgotten them with the rewind: the next runs find theirs prepared.
void Executor::renew_snapshot() {
  // Libc blocks all signals while it makes a thread, also the one by which the image learns of
  // writes.
  image_open_all();
  prepare_donors_for(channel_.record);
  const char* why = take_snapshot();
  renewed_ = true;
  if (why) use_processes(why);
}

Executor::Result Executor::run_in_child() {
  const ForkResult child = fork_run();
  if (child.in_child) {
    start_watchdog(channel_.config.run_nanoseconds);
    renew_early_descriptors();
    become_run();
  }
  if (!child.started) {
    snprintf(channel_.status.note, sizeof channel_.status.note, "cannot fork: %s", strerror(errno));
    return Result::failed;
  }
  JOSTLE_CHECKED(if (channel_.status.broken_check[0])
                     finish_campaign(channel_, channel::StopReason::error));
  settle_outcome(channel_.record, child.wait_status);
  settle_refused_call(channel_, child.wait_status);
  rewind_open_files();
  files::put_back(channel_.files);
  if (channel_.status.executor.load() == channel::Executor::fork) {
    prepare_donors_for(channel_.record);
  }
  return Result::done;
}

}  // namespace jostle::engine
