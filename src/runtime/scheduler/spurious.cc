// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/spurious.h"

#include "src/base/hash.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT constinit SpuriousWaits g_spurious;

namespace {

constexpr uint64_t kFirstRuns = 64;
constexpr uint64_t kOneIn = 16;

}  // namespace

void SpuriousWaits::begin_run(const channel::Channel& channel, const channel::Schedule* followed,
                              bool willing) {
  // A strategy that always says yes must not keep a loop from ending.
  left_ = kMostSpurious;
  const channel::SpuriousWakeups how = channel.config.spurious;
  if (followed) {
    asked_ = has_choice(*followed, ChoiceKind::spurious);
  } else if (how == channel::SpuriousWakeups::rarely) {
    const bool turn = number_ > kFirstRuns && combine(number_, 29) % kOneIn == 0;
    asked_ = willing && (turn || insists_);
  } else {
    asked_ = how == channel::SpuriousWakeups::always;
  }
}

bool SpuriousWaits::happens() {
  channel::RunRecord& run = g_scheduler.record();
  ++run.waits;
  if (asked_ && left_ == 0 && g_actions.active()) g_actions.assume(kFewSpurious);
  if (!asked_ || left_ == 0) return false;
  if (g_scheduler.choose(ChoiceKind::spurious, 2) == 0) return false;
  --left_;
  // The wait is the running thread's last event; others may have announced theirs since.
  for (uint64_t i = g_scheduler.recording() ? run.trace_count : 0; i-- > 0;) {
    if (run.trace[i].thread != g_scheduler.self().index) continue;
    run.trace[i].spurious = 1;
    break;
  }
  return true;
}

}  // namespace jostle::rt
