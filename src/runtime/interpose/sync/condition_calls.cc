// SPDX-License-Identifier: Apache-2.0
// Condition variables.
//
// To wait is one event: the mutex is released and the thread is a waiter, with nothing in between.
// A signal turns a waiter into a thread that wants the mutex; it runs when it can have it. A waiter
// that nobody signalled (time-out, cancellation, a spurious wake-up) first has to take the mutex
// like anybody else.
//
// A signal to one that other processes share wakes all that wait for it, here and there: they wait
// for the number of signals to be another one, and whoever did not need it finds a wake-up that is
// spurious.
#include <pthread.h>

#include <cerrno>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/scheduler/waits/interruption.h"
#include "src/runtime/scheduler/waits/spurious.h"
#include "src/runtime/sync/condition.h"
#include "src/runtime/sync/mutex.h"

using namespace jostle;
using namespace jostle::rt;

namespace jostle::rt {
namespace {

// In the frame of the waiting thread; also its ready check.
struct Waiter {
  pthread_mutex_t* mutex;
  sync::Owner who;
  uintptr_t pc;
  bool signalled = false;
  sync::Condition* shared = nullptr;  // with other processes: `heard` is what it had when it began
  uint32_t heard = 0;
  bool is_signalled() const { return signalled || (shared && sync::signals(*shared) != heard); }
  bool operator()() const { return is_signalled() && can_lock_mutex(sync::state_of(mutex), who); }
};

Waiter& waiter_of(Thread& thread) { return *static_cast<Waiter*>(thread.ready.context); }

// Threads that wait for a signal, in the order they came. Who was cancelled waits for none.
Thread* next_waiter(pthread_cond_t* condition, Thread* previous) {
  const auto object = reinterpret_cast<uintptr_t>(condition);
  Thread* thread = g_scheduler.next_pending_on(object, previous);
  while (thread && (thread->pending.kind != OpKind::cond_wait || is_cancelled(*thread))) {
    thread = g_scheduler.next_pending_on(object, thread);
  }
  return thread;
}

void check_is_condition(pthread_cond_t* condition) {
  if (sync::is_destroyed(sync::state_of(condition))) {
    misuse(condition, "a condition variable is used after it was destroyed");
  }
}

void give_signal(Thread& thread) {
  if (g_actions.active()) g_actions.looks_for_cancellation(thread);
  Waiter& waiter = waiter_of(thread);
  waiter.signalled = true;
  sync::Mutex& state = sync::state_of(waiter.mutex);
  // One that other processes share is waited for by each for itself.
  const bool is_own = sync::is_held_by(state, waiter.who) || sync::is_shared(state);
  g_scheduler.retarget(thread, operation(OpKind::mutex_lock, waiter.mutex, thread.pending.pc),
                       is_own ? thread.ready : shared_check<sync::is_available>(state));
}

// 0, or the code with which the wait fails at once.
int release_for_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  sync::Mutex& state = sync::state_of(mutex);
  if (!sync::is_initialised(state)) {
    misuse(mutex, "a thread waits for a condition variable with what is no initialised mutex");
  }
  const bool is_shared = sync::is_shared(state);
  if (!sync::is_held_by(state, me(is_shared))) {
    if (sync::checks_owner(state)) return EPERM;
    misuse(mutex, "a thread waits for a condition variable with a mutex that it does not hold");
  }
  if (Thread* other = next_waiter(condition, nullptr); other && waiter_of(*other).mutex != mutex) {
    misuse(condition, "two threads wait for one condition variable with different mutexes");
  }
  const AmongProcesses alone(is_shared);
  if (const int code = sync::unlock(state, me(is_shared))) return code;
  if (sync::depth(state) == 0) {
    acted(Act::unlock, mutex);
    released(mutex);
  }
  return 0;
}

int take_back(Waiter& waiter) {
  pthread_mutex_t* mutex = waiter.mutex;
  sync::Mutex& state = sync::state_of(mutex);
  // Another process may be faster.
  if (sync::is_shared(state)) return lock_mutex(mutex, {}, waiter.pc);
  const int code = sync::lock(state, waiter.who);
  if (sync::is_acquired(code) && sync::depth(state) == 1) {
    acted(Act::lock, mutex);
    acquired(mutex, OpKind::mutex_lock, waiter.pc);
  } else if (code == ENOTRECOVERABLE) {
    acted(Act::lock, mutex);
    acted(Act::unlock, mutex);
  }
  return code;
}

// Only the mutex counts from here on. Whoever is cancelled is that once: not again while it waits
// for the mutex. A handler that leaves this wait leaves it as that for the signal: with the mutex.
int wait_for_mutex(Waiter& waiter) {
  Thread& self = *g_current;
  const bool cancellable = self.cancel_enabled;
  self.cancel_enabled = false;
  waiter.signalled = true;
  wait_for_object(
      sync::is_shared(sync::state_of(waiter.mutex)),
      operation(OpKind::mutex_lock, waiter.mutex, waiter.pc), waiter,
      {.abandoned = [](void* context) { wait_for_mutex(*static_cast<Waiter*>(context)); },
       .abandoned_context = &waiter});
  self.cancel_enabled = cancellable;
  return take_back(waiter);
}

}  // namespace

int wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const Until& until,
                   uintptr_t pc) {
  if (!until.is_valid()) return EINVAL;
  const Operation op = operation(OpKind::cond_wait, condition, pc);
  g_scheduler.reach(op);
  check_is_condition(condition);
  Waiter waiter{mutex, me(sync::is_shared(sync::state_of(mutex))), pc};
  if (sync::is_shared(sync::state_of(condition))) {
    waiter.shared = &sync::state_of(condition);
    waiter.heard = sync::signals(*waiter.shared);
  }
  if (const int code = release_for_wait(condition, mutex)) return code;
  acted(Act::enter, condition);

  if (g_actions.active()) g_actions.looks_for_cancellation(*g_current);
  const Thread& self = *g_current;
  const bool was_cancelled = self.cancel_requested && self.cancel_enabled && !self.exiting;
  if (was_cancelled || g_spurious.wakes(until.deadline())) {  // woken by nobody
    acted(Act::leave, condition);
    const int code = wait_for_mutex(waiter);
    if (was_cancelled) end_if_cancelled();
    return code;
  }
  const Wake wake = wait_for_object(
      waiter.shared != nullptr, op, waiter,
      {.deadline = until.deadline(),
       .cancellation_point = true,
       // As when it is cancelled: cleanup handlers, and whoever is jumped to, find the mutex
       // locked.
       .abandoned = [](void* context) { wait_for_mutex(*static_cast<Waiter*>(context)); },
       .abandoned_context = &waiter});
  const bool signalled = waiter.is_signalled();
  if (!signalled && wake != Wake::cancelled) acted(Act::leave, condition);
  const int code = wake == Wake::ready ? take_back(waiter) : wait_for_mutex(waiter);
  if (!signalled && wake == Wake::cancelled) end_if_cancelled();
  if (code) return code;
  return !signalled && wake == Wake::timeout ? ETIMEDOUT : 0;
}

namespace {

// False: there are none that could wait for it.
bool tell_other_processes(pthread_cond_t* condition) {
  sync::Condition& state = sync::state_of(condition);
  if (!sync::is_shared(state) || !has_family()) return false;
  const AmongProcesses alone(true);
  ++sync::signals(state);
  return true;
}

int wake_all(pthread_cond_t* condition) {
  acted(Act::broadcast, condition, next_waiter(condition, nullptr) != nullptr);
  for (Thread* t = next_waiter(condition, nullptr); t;) {
    Thread* next = next_waiter(condition, t);  // `t` is about to leave the list
    give_signal(*t);
    t = next;
  }
  return 0;
}

}  // namespace

int signal_condition(pthread_cond_t* condition, uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::cond_signal, condition, pc));
  check_is_condition(condition);
  if (tell_other_processes(condition)) return wake_all(condition);
  uint32_t waiters = 0;
  for (Thread* t = nullptr; (t = next_waiter(condition, t));) ++waiters;
  if (waiters == 0) {
    acted(Act::signal, condition, false);
    return 0;
  }
  Thread* chosen = next_waiter(condition, nullptr);
  for (uint32_t k = g_scheduler.choose(ChoiceKind::wake, waiters); k > 0; --k) {
    chosen = next_waiter(condition, chosen);
  }
  if (g_actions.active()) g_actions.signals(Act::signal, condition, chosen);
  give_signal(*chosen);
  return 0;
}

int broadcast_condition(pthread_cond_t* condition, uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::cond_broadcast, condition, pc));
  check_is_condition(condition);
  tell_other_processes(condition);
  return wake_all(condition);
}

int destroy_condition(pthread_cond_t* condition, uintptr_t pc) {
  reach_rewrite(condition, pc);
  check_is_condition(condition);
  if (next_waiter(condition, nullptr)) {
    misuse(condition, "a condition variable is destroyed while a thread waits for it");
  }
  sync::destroy(sync::state_of(condition));
  return 0;
}

}  // namespace jostle::rt

JOSTLE_HOOK int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  if (!controlled()) return REAL(pthread_cond_init)(condition, attributes);
  reach_rewrite(condition, CALLER());
  if (anybody_waits_for(condition)) {
    misuse(condition, "a condition variable is initialised while a thread waits for it");
  }
  return REAL(pthread_cond_init)(condition, attributes);
}

JOSTLE_HOOK int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!controlled()) return REAL(pthread_cond_destroy)(condition);
  return destroy_condition(condition, CALLER());
}

JOSTLE_HOOK int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!controlled()) return REAL(pthread_cond_wait)(condition, mutex);
  return wait_condition(condition, mutex, {}, CALLER());
}

JOSTLE_HOOK int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                       const timespec* time) {
  if (!controlled()) return REAL(pthread_cond_timedwait)(condition, mutex, time);
  const clockid_t clock = sync::clock_of(sync::state_of(condition));
  return wait_condition(condition, mutex, {clock, time}, CALLER());
}

JOSTLE_HOOK int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                       clockid_t clock, const timespec* time) {
  if (!controlled()) return REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  return wait_condition(condition, mutex, {clock, time}, CALLER());
}

JOSTLE_HOOK int pthread_cond_signal(pthread_cond_t* condition) {
  if (!controlled()) return REAL(pthread_cond_signal)(condition);
  return signal_condition(condition, CALLER());
}

JOSTLE_HOOK int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!controlled()) return REAL(pthread_cond_broadcast)(condition);
  return broadcast_condition(condition, CALLER());
}
