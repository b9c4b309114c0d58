// SPDX-License-Identifier: Apache-2.0
// Barriers.
#include <pthread.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/sync/barrier.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

// In the frame of the waiting thread: the barrier itself may be gone when it wakes up.
struct Waiter {
  bool round_complete = false;
  const sync::Barrier* shared = nullptr;  // with other processes, which may complete the round
  uint32_t arrival = 0;
  bool operator()() const { return round_complete || (shared && sync::is_over(*shared, arrival)); }
};

void check_is_barrier(pthread_barrier_t* barrier) {
  if (sync::is_destroyed(sync::state_of(barrier))) {
    misuse(barrier, "a barrier is used after it was destroyed, or was never initialised");
  }
}

// Those that still have to run after an earlier round are passed by: nothing happens to them.
void release_all(pthread_barrier_t* barrier) {
  const auto object = reinterpret_cast<uintptr_t>(barrier);
  for (Thread* t = nullptr; (t = g_scheduler.next_pending_on(object, t));) {
    if (t->pending.kind != OpKind::barrier_wait) continue;
    auto* waiter = static_cast<Waiter*>(t->ready.context);
    if (!waiter->round_complete) g_races.leave_barrier(*t, barrier);
    waiter->round_complete = true;
  }
  g_races.leave_barrier(*g_current, barrier);
  g_races.end_barrier_round(barrier);
  g_scheduler.changed(barrier);
}

}  // namespace

JOSTLE_HOOK int pthread_barrier_init(pthread_barrier_t* barrier,
                                     const pthread_barrierattr_t* attributes, unsigned count) {
  if (!controlled()) return REAL(pthread_barrier_init)(barrier, attributes, count);
  reach_rewrite(barrier, CALLER());
  for (Thread* t = nullptr;
       (t = g_scheduler.next_pending_on(reinterpret_cast<uintptr_t>(barrier), t));) {
    if (t->pending.kind != OpKind::barrier_wait || !t->ready.context) continue;
    if (!static_cast<Waiter*>(t->ready.context)->round_complete) {
      misuse(barrier, "a barrier is initialised while a thread waits at it");
    }
  }
  return REAL(pthread_barrier_init)(barrier, attributes, count);
}

JOSTLE_HOOK int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (!controlled()) return REAL(pthread_barrier_destroy)(barrier);
  reach_rewrite(barrier, CALLER());
  check_is_barrier(barrier);
  if (sync::waiting(sync::state_of(barrier)) != 0) {
    misuse(barrier, "a barrier is destroyed while a thread waits at it");
  }
  sync::destroy(sync::state_of(barrier));
  return 0;
}

JOSTLE_HOOK int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!controlled()) return REAL(pthread_barrier_wait)(barrier);
  const Operation op = operation(OpKind::barrier_wait, barrier, CALLER());
  g_scheduler.reach(op);
  check_is_barrier(barrier);
  acted(Act::arrive, barrier);
  g_races.release(barrier);
  sync::Barrier& state = sync::state_of(barrier);
  const bool is_shared = sync::is_shared(state);
  Waiter waiter;
  {
    const AmongProcesses alone(is_shared);
    if (sync::arrive(state)) {
      release_all(barrier);
      return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    if (is_shared) waiter.shared = &state;
    waiter.arrival = state.arrivals;
  }
  wait_for_object(is_shared, op, waiter);
  return 0;
}
