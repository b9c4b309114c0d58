// Who waits for what, and until when by the clock of the run.
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// ---- the parking lot --------------------------------------------------------------------------

void Scheduler::park(Thread& t, uintptr_t object) {
  Bucket& bucket = lot_[(object >> 3) % kLotBuckets];
  t.parked_on = object;
  t.in_lot = true;
  t.lot_next = nullptr;
  t.lot_previous = bucket.tail;
  (bucket.tail ? bucket.tail->lot_next : bucket.head) = &t;
  bucket.tail = &t;
}

void Scheduler::unpark(Thread& t) {
  if (!t.in_lot) return;
  Bucket& bucket = lot_[(t.parked_on >> 3) % kLotBuckets];
  (t.lot_previous ? t.lot_previous->lot_next : bucket.head) = t.lot_next;
  (t.lot_next ? t.lot_next->lot_previous : bucket.tail) = t.lot_previous;
  t.in_lot = false;
}

Thread* Scheduler::next_pending_on(uintptr_t object, Thread* previous) {
  Thread* t = previous ? previous->lot_next : lot_[(object >> 3) % kLotBuckets].head;
  while (t && t->parked_on != object) t = t->lot_next;
  return t;
}

// ---- virtual time -----------------------------------------------------------------------------

Nanoseconds Scheduler::read_clock() {
  // A microsecond per reading; a loop that does nothing but read the clock is carried along faster
  // and faster, up to a millisecond per reading.
  const uint32_t doublings = clock_reads_ / 64;
  ++clock_reads_;
  advance_clock_to(clock_ + (Nanoseconds{1000} << (doublings < 10 ? doublings : 10)));
  return clock_;
}

void Scheduler::advance_clock_to(Nanoseconds time) {
  if (time <= clock_) return;
  clock_ = time;
  if (timed_waiters_) wake_expired();
}

void Scheduler::wake_expired() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (t.in_lot && t.timed_wait && t.deadline <= clock_) set_enabled(t, true);
  }
}

// Nobody can run: jumps to the earliest time-out. False when nobody waits for one.
bool Scheduler::let_time_pass() {
  if (timed_waiters_ == 0) return false;
  Nanoseconds earliest = kNever;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (t.in_lot && t.timed_wait && !t.enabled && t.deadline < earliest) earliest = t.deadline;
  }
  if (earliest == kNever) return false;
  clock_reads_ = 0;
  advance_clock_to(earliest);
  return true;
}

}  // namespace jostle::rt
