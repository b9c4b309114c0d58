// SPDX-License-Identifier: Apache-2.0
// How far a thread goes before it leaves the fast path of memory hooks, and what it is stopped for
// there.
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/switch.h"
#include "src/runtime/scheduler/waits/interruption.h"
#include "src/strategy/decider.h"

namespace jostle::rt {
namespace {

// Who explores all schedules does not want others to get a turn that it did not decide about.
constexpr uint64_t kLongSlice = 5'000'000;

}  // namespace

void Scheduler::presume_sharing(bool constants) {
  // A long run learns soon enough what is shared.
  constexpr uint32_t kMostPresumptions = 1 << 12;
  presumptions_ = kMostPresumptions;
  presumes_constants_ = constants;
  arm_limits(*current_);
}

bool Scheduler::presumes_shared(const Thread& thread, uintptr_t address) {
  if (presumptions_ == 0 || (address >= thread.stack_begin && address < thread.stack_end)) {
    return false;
  }
  if (!presumes_constants_ &&
      (is_read_only(address) || in_static_tls(thread.context.tp, address))) {
    return false;
  }
  --presumptions_;
  // The next run has other scheduling points than this one.
  ++record().newly_shared;
  return true;
}

// Recording, every access takes the slow path, which notes it; presuming, too. A request is acted
// on at the very next hook, whether or not its memory is known to be shared: so a replay does it at
// the same one.
bool Scheduler::is_stopped_everywhere(const Thread& thread) const {
  return recording_ || g_races.sees_everything() || presumptions_ != 0 || thread.at_stop ||
         thread.stillness.watching() || thread.loop.in_loop() || has_request(thread);
}

void Scheduler::arm_limits(Thread& thread) {
  thread.slice_end = thread.events + (decides_all_ ? kLongSlice : kSlice);
  thread.skip_until = 0;
  if (thinning_.active() && !guided_ && !follower_.active() && !thread.aside &&
      !is_stopped_everywhere(thread)) {
    thread.skip_until = thread.events + thinning_.left(total_events());
  }
  thread.stop_at = next_stop(thread);
}

// The event of the thread before which it leaves the fast path.
uint64_t Scheduler::next_stop(const Thread& thread) const {
  if (is_stopped_everywhere(thread)) return 0;
  const uint64_t now = total_events();
  uint64_t stop = event_limit_ == UINT64_MAX
                      ? UINT64_MAX
                      : thread.events + (event_limit_ - (now < event_limit_ ? now : event_limit_));
  uint64_t wanted = follower_.active() ? follower_.stop_for(thread) : thread.slice_end;
  if (busy_.look_at < UINT64_MAX && !follower_.active()) {
    const uint64_t look = busy_.look_at > now ? thread.events + (busy_.look_at - now) : 0;
    if (look < wanted) wanted = look;
  }
  if (guided_) {
    const uint64_t guide = decider_->stop_for(thread.id);
    if (guide > thread.events && guide < wanted) wanted = guide;
  }
  if (!follows() && thread.watch_at < wanted) wanted = thread.watch_at;
  if (timed_waiters_ != 0 && !follows() && next_due_ != UINT64_MAX) {
    const uint64_t due = next_due_ > now ? next_due_ - now : 0;
    if (thread.events + due < wanted) wanted = thread.events + due;
  }
  return wanted < stop ? wanted : stop;
}

void Scheduler::end_soon() {
  overdue_ = true;
  event_limit_ = 0;
  current_->stop_at = 0;
}

bool Scheduler::at_limit(Thread& thread) {
  if (overdue_) end_beyond(channel::kLimitTime);
  if (total_events() >= event_limit_) end_beyond(channel::kLimitSteps);
  if (thread.at_stop || has_request(thread)) return true;
  if (thread.events >= thread.watch_at && !follows()) begin_watching(thread);
  if (!follows() && is_due()) return true;
  if (follower_.active()) return thread.events == follower_.stop_for(thread);
  if (total_events() >= busy_.look_at) [[unlikely]]
    look_at_work(thread, true);
  if (guided_ && thread.events == decider_->stop_for(thread.id)) return true;
  if (thread.events < thread.slice_end) {
    thread.stop_at = next_stop(thread);
    return false;
  }
  // It may be waiting for somebody in a loop over memory that nobody else has touched yet.
  arm_limits(thread);
  if (enabled_.count() == 1) return false;
  JOSTLE_CHECK_EQ(&thread, current_);
  put_aside(thread);
  return true;
}

void Scheduler::close_log() {
  channel::RunRecord& run = record();
  run.steps = steps_;
  run.events = total_events();
  // The run ends somewhere behind the last published operation: where exactly is not checked.
  if (g_actions.active()) g_actions.finish();
  current_->pending = {};
  log_switch(*current_, channel::kForced);
}

}  // namespace jostle::rt
