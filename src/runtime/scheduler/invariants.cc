// SPDX-License-Identifier: Apache-2.0
// What the scheduler's members say of each other, recounted. Checked builds only (base/check.h).
#ifdef JOSTLE_CHECKS

#include <cstdlib>

#include "src/base/check.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/waits/interruption.h"

namespace jostle::rt {
namespace {

// A test of the checks themselves has one violated at this step of a run.
JOSTLE_KEPT uint64_t g_violated_step = 0;

uint64_t violated_step() {
  if (g_violated_step == 0) {
    const char* wanted = std::getenv("JOSTLE_VIOLATED_STEP");
    g_violated_step = wanted ? std::strtoull(wanted, nullptr, 10) : UINT64_MAX;
  }
  return g_violated_step;
}

}  // namespace

void Scheduler::check_at_decision() const {
  JOSTLE_CHECK(!in_handler());
  JOSTLE_CHECK_LE(events_at_resume_, current_->events);
  check_state();
}

// Is the thread stopped where it would be if everything had been looked at, or earlier?
bool Scheduler::is_armed(Thread& t) {
  const uint64_t stop = t.stop_at, slice = t.slice_end, skip = t.skip_until;
  arm_limits(t);
  const bool is_right = stop <= t.stop_at && slice == t.slice_end && skip == t.skip_until;
  t.stop_at = stop;
  return is_right;
}

// At a decision: nobody is in the middle of anything. A recount takes as long as there are threads:
// of many, not at every decision.
void Scheduler::check_state() const {
  constexpr ThreadId kMany = 32;
  JOSTLE_CHECK_NE(steps_, violated_step());
  if (slots_used_ > kMany && steps_ % slots_used_ != 0) return;
  JOSTLE_CHECK_LT(current_->id, slots_used_);
  JOSTLE_CHECK_EQ(table_[current_->id], current_);
  JOSTLE_CHECK_LE(slots_used_, table_.size());
  JOSTLE_CHECK_LT(free_ids_.size(), slots_used_);
  uint32_t live = 0, enabled = 0, eligible = 0, timed = 0, external = 0, aside = 0;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    check_thread(t);
    live += t.live;
    enabled += is_enabled(t);
    eligible += is_enabled(t) && !t.aside;
    timed += t.timed_wait;
    external += t.external_wait;
    aside += t.aside;
  }
  JOSTLE_CHECK_EQ(live, live_);
  JOSTLE_CHECK_EQ(enabled, enabled_.count());
  JOSTLE_CHECK_EQ(eligible, eligible_.count());
  JOSTLE_CHECK_EQ(timed, timed_waiters_);
  JOSTLE_CHECK_EQ(external, external_waiters_);
  JOSTLE_CHECK_EQ(aside, spinners_);
}

void Scheduler::check_thread(const Thread& t) const {
  JOSTLE_CHECK_EQ(eligible_.contains(t.id),
                  is_enabled(t) && !t.aside);  // enabled is the larger set
  if (!t.live) {
    JOSTLE_CHECK(!is_enabled(t) && !t.in_lot && !t.aside);
    JOSTLE_CHECK(!t.timed_wait && !t.external_wait);
    return;
  }
  JOSTLE_CHECK(!t.finished);
  JOSTLE_CHECK_EQ(table_[t.id], &t);
  JOSTLE_CHECK_EQ(by_index_[t.index], t.id);
  JOSTLE_CHECK(!t.donor || t.donor->slot == t.id);
  JOSTLE_CHECK(t.context.tp != nullptr);
  // Who looks for operations that race with one finds this one.
  JOSTLE_CHECK_EQ(operations_[t.id], &t.pending);
  JOSTLE_CHECK(!touched_.active() || touched_.is_noted(t.id, t.pending));
  // Who does not wait can run, unless its loop waits (fairness/waiting.cc) or it was stopped; who
  // waits until some time waits.
  const bool waits_in_loop = t.loop.awaits || t.loop.is_blocked;
  JOSTLE_CHECK(t.in_lot || is_enabled(t) || waits_in_loop || t.stopped);
  JOSTLE_CHECK(!waits_in_loop || decides_all_);
  JOSTLE_CHECK(t.in_lot || (!t.timed_wait && !t.external_wait));
  JOSTLE_CHECK_EQ(t.timed_wait, t.deadline != kNever);
  if (t.in_lot) check_parked(t);
  // One answer is that of the whole crowd.
  JOSTLE_CHECK(!t.crowd || (t.in_lot && t.crowd->members.contains(t.id)));
  JOSTLE_CHECK(!t.crowd || is_enabled(t) == t.crowd->can_go_on);
  for (const SuspendedWait* wait = t.suspended; wait; wait = wait->outer) {
    JOSTLE_CHECK(!wait->stand_in.live && wait->stand_in.id == t.id);
    if (wait->stand_in.in_lot) check_parked(wait->stand_in);
  }
  // No wake-up is lost: every thread that can go on is known to. Asking the kernel again would be
  // another question.
  if (t.in_lot && !t.external_wait && !is_enabled(t) && !t.stopped) JOSTLE_CHECK(!can_go_on(t));
}

// The parking lot knows it, once, in the bucket of what it waits for.
void Scheduler::check_parked(const Thread& t) const {
  const Bucket& bucket = lot_[(t.parked_on >> 3) % kLotBuckets];
  JOSTLE_CHECK(t.in_lot);
  JOSTLE_CHECK_EQ(t.lot_previous ? t.lot_previous->lot_next : bucket.head, &t);
  JOSTLE_CHECK_EQ(t.lot_next ? t.lot_next->lot_previous : bucket.tail, &t);
  uint32_t found = 0;
  for (const Thread* other = bucket.head; other; other = other->lot_next) {
    JOSTLE_CHECK(other->in_lot);
    JOSTLE_CHECK_EQ((other->parked_on >> 3) % kLotBuckets, (t.parked_on >> 3) % kLotBuckets);
    found += other == &t;
  }
  JOSTLE_CHECK_EQ(found, 1);
}

// Between runs.
void Scheduler::check_nobody_waits() const {
  for (const Bucket& bucket : lot_) JOSTLE_CHECK(!bucket.head && !bucket.tail);
  JOSTLE_CHECK_EQ(timed_waiters_ + external_waiters_, 0);
  JOSTLE_CHECK_EQ(live_, 1);
  JOSTLE_CHECK(!current_->suspended && !current_->in_lot);
}

// The segment that ends now goes on where the thread's last one ended: events only grow.
void Scheduler::check_segment(const Thread& t) const {
  const channel::Schedule& log = channel_->record.schedule;
  JOSTLE_CHECK_LE(log.segment_count, channel::kMaxSegments);
  JOSTLE_CHECK_LT(t.index, by_index_.size());
  for (uint32_t i = log.segment_count; i-- > 0;) {
    if (log.segments[i].thread != t.index) continue;
    JOSTLE_CHECK_LE(log.segments[i].until, t.events);
    break;
  }
}

}  // namespace jostle::rt

#endif
