// Who waits for what, and until when by the clock of the run.
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/timers.h"

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
  const Nanoseconds taken = Nanoseconds{1000} << (doublings < 10 ? doublings : 10);
  busy_.processor_extra += taken;
  advance_clock_to(clock_ + taken);
  return clock_;
}

void Scheduler::advance_clock_to(Nanoseconds time) {
  if (time <= clock_) return;
  clock_ = time;
  if (timed_waiters_) wake_expired();
  if (g_next_timers.real <= clock_) [[unlikely]]
    expire_timers();
}

void Scheduler::wake_expired() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (t.in_lot && t.timed_wait && t.deadline <= clock_) set_enabled(t, true);
  }
}

Nanoseconds Scheduler::earliest_timeout() const {
  Nanoseconds earliest = kNever;
  for (ThreadId id = 0; timed_waiters_ && id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (t.in_lot && t.timed_wait && !t.enabled && t.deadline < earliest) earliest = t.deadline;
  }
  return earliest;
}

// Nobody can run: jumps to the earliest time-out or timer. False when there is none.
bool Scheduler::let_time_pass() {
  Nanoseconds earliest = earliest_timeout();
  if (g_next_timers.real < earliest) {
    const Nanoseconds timer = next_timer_of_use();
    if (timer < earliest) earliest = timer;
  }
  if (earliest == kNever) return false;
  clock_reads_ = 0;
  advance_clock_to(earliest);
  return true;
}

// Everybody who could run only spins: jumps to the earliest time-out; to the timers before it, too,
// and to others only when the spinning has gone on for long.
void Scheduler::let_time_pass_for_spinners() {
  if (!g_next_timers.any()) {
    let_time_pass();
    return;
  }
  constexpr uint64_t kLong = 2'000;
  const Nanoseconds timeout = earliest_timeout();
  if (g_next_timers.real <= timeout ? timeout != kNever || fruitless_ > kLong
                                    : timeout == kNever && fruitless_ > kLong) {
    fruitless_ = 0;
    pass_time_to_timer();
  } else if (timeout != kNever) {
    let_time_pass();
  }
}

}  // namespace jostle::rt
