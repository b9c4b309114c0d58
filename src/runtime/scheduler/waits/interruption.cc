// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/waits/interruption.h"

#include <new>

#include "src/base/check.h"
#include "src/runtime/scheduler/requests.h"

namespace jostle::rt {

// Left by unwinding, when the handler ends the thread, it gives the wait up.
class Interruption {
 public:
  Interruption(Scheduler& scheduler, Thread& thread, const WaitOptions& options)
      : scheduler_(scheduler), thread_(thread), wait_(*scheduler.new_suspended_wait()) {
    scheduler.suspend_wait(thread, wait_, options);
  }
  ~Interruption() {
    if (thread_.suspended == &wait_) scheduler_.abandon_waits(wait_.outer);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  SuspendedWait* wait() { return &wait_; }

 private:
  Scheduler& scheduler_;
  Thread& thread_;
  SuspendedWait& wait_;
};

void Scheduler::handle_while_waiting(Thread& t, const Operation& op, const WaitOptions& options) {
  // What the trace says it was about to do is not what it does: that comes again below.
  channel::RunRecord& run = record();
  if (t.wait_announced < run.trace_count && run.trace[t.wait_announced].thread == t.index) {
    run.trace[t.wait_announced].kind = OpKind::thread_signal;
    run.trace[t.wait_announced].object = 0;
  }
  if (has_deliverable_signal(t)) {
    Interruption interruption(*this, t, options);
    deliver_pending_signals(interruption.wait());
    resume_wait(t);
  }
  if (has_request(t) && !has_deliverable_signal(t)) {
    end_wait(t);
    if (options.abandoned) options.abandoned(options.abandoned_context);
    end_if_cancelled();
  }
  // A handler had events of its own: the wait that goes on gets a new number.
  count_event(op);
  t.wait_announced = recording_ ? run.trace_count - 1 : UINT64_MAX;
  set_enabled(t, can_go_on(t));
}

namespace {

// What a thread waits for, and until when.
void copy_wait(const Thread& from, Thread& to) {
  to.pending = from.pending;
  to.ready = from.ready;
  to.woken = from.woken;
  to.deadline = from.deadline;
  to.waits_since = from.waits_since;
  to.due_at = from.due_at;
  to.time_is_eager = from.time_is_eager;
  to.cancellable_wait = from.cancellable_wait;
}

}  // namespace

void Scheduler::suspend_wait(Thread& t, SuspendedWait& wait, const WaitOptions& options) {
  Thread& stand_in = wait.stand_in;
  JOSTLE_CHECK(t.in_lot && !stand_in.in_lot && !stand_in.live);
  JOSTLE_CHECK(!t.interruptible_wait && !t.undisturbed_wait);
  stand_in.id = t.id;
  stand_in.index = t.index;
  copy_wait(t, stand_in);
  wait.timed = t.timed_wait;
  wait.external = t.external_wait;
  wait.abandoned = options.abandoned;
  wait.abandoned_context = options.abandoned_context;
  wait.outer = t.suspended;
  t.suspended = &wait;
  replace_in_lot(t, stand_in);
  end_wait(t);
  JOSTLE_CHECK(stand_in.in_lot && !t.in_lot && is_enabled(t));
}

void Scheduler::resume_wait(Thread& t) {
  JOSTLE_CHECK(t.suspended != nullptr);
  SuspendedWait& wait = *t.suspended;
  Thread& stand_in = wait.stand_in;
  JOSTLE_CHECK(stand_in.in_lot && !t.in_lot);
  JOSTLE_CHECK_EQ(stand_in.id, t.id);
  copy_wait(stand_in, t);
  note_touched(t);
  // Retargeted meanwhile, it has no time-out any more.
  t.timed_wait = wait.timed && t.deadline != kNever;
  if (t.timed_wait && t.due_at < next_due_) next_due_ = t.due_at;
  t.external_wait = wait.external;
  timed_waiters_ += t.timed_wait;
  external_waiters_ += t.external_wait;
  replace_in_lot(stand_in, t);
  t.suspended = wait.outer;
  wait.outer = unused_suspended_waits_;
  unused_suspended_waits_ = &wait;
}

void Scheduler::abandon_waits(SuspendedWait* left) {
  Thread& t = *current_;
  while (t.suspended && t.suspended != left) {
    SuspendedWait& wait = *t.suspended;
    unpark(wait.stand_in);
    t.suspended = wait.outer;
    const auto abandoned = wait.abandoned;
    void* const context = wait.abandoned_context;
    wait.outer = unused_suspended_waits_;
    unused_suspended_waits_ = &wait;
    JOSTLE_CHECK(!wait.stand_in.in_lot);
    if (abandoned) abandoned(context);
  }
}

// `by` takes its place, among those who wait for the same, too.
void Scheduler::replace_in_lot(Thread& t, Thread& by) {
  if (!t.in_lot) return;
  if (t.crowd) step_out_of_crowd(t);
  Bucket& bucket = lot_[(t.parked_on >> 3) % kLotBuckets];
  by.parked_on = t.parked_on;
  by.lot_next = t.lot_next;
  by.lot_previous = t.lot_previous;
  (by.lot_previous ? by.lot_previous->lot_next : bucket.head) = &by;
  (by.lot_next ? by.lot_next->lot_previous : bucket.tail) = &by;
  by.in_lot = true;
  t.in_lot = false;
  JOSTLE_CHECKED(check_parked(by));
}

SuspendedWait* Scheduler::new_suspended_wait() {
  SuspendedWait* wait = unused_suspended_waits_;
  if (wait) {
    unused_suspended_waits_ = wait->outer;
  } else {
    wait = static_cast<SuspendedWait*>(engine_allocate(sizeof(SuspendedWait)));
  }
  return new (wait) SuspendedWait;
}

// Nothing is done on anybody's behalf: the thread ended at once, or this is a child without it.
void Scheduler::forget_suspended_waits(Thread& t) {
  while (t.suspended) {
    SuspendedWait& wait = *t.suspended;
    unpark(wait.stand_in);
    t.suspended = wait.outer;
    wait.outer = unused_suspended_waits_;
    unused_suspended_waits_ = &wait;
  }
}

}  // namespace jostle::rt
