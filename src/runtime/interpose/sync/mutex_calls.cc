// SPDX-License-Identifier: Apache-2.0
// Mutexes.
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/sync/robust.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/sync/mutex.h"

using namespace jostle;
using namespace jostle::rt;

namespace jostle::rt {
namespace {

void check_is_mutex(pthread_mutex_t* mutex) {
  const sync::Mutex& state = sync::state_of(mutex);
  if (sync::is_initialised(state)) return;
  misuse(mutex, sync::is_destroyed(state)
                    ? "a mutex is used after it was destroyed"
                    : "what is used as a mutex is none: never initialised, or overwritten since");
}

// Inner levels of a recursive mutex are of no interest to others.
int finish_lock(pthread_mutex_t* mutex, Act act, int code, uintptr_t pc, const Until& until = {}) {
  if (sync::is_acquired(code) && sync::depth(sync::state_of(mutex)) == 1) {
    acted(act, mutex);
    acquired(mutex, OpKind::mutex_lock, pc, until);
  } else if (code == ENOTRECOVERABLE && act == Act::lock) {
    // It has waited until it was given back, as everybody does from now on.
    acted(Act::lock, mutex);
    acted(Act::unlock, mutex);
  } else if (!sync::is_acquired(code)) {
    acted(Act::try_lock, mutex, false);
  }
  return code;
}

int set_ceiling(pthread_mutex_t* mutex, int ceiling, int* old, uintptr_t pc) {
  sync::Mutex& state = sync::state_of(mutex);
  if (const int code = sync::check_ceiling(state, ceiling)) return code;
  if (const int code = lock_mutex(mutex, {}, pc)) return code;
  const int previous = sync::exchange_ceiling(state, ceiling);
  if (old) *old = previous;
  return unlock_mutex(mutex, pc);
}

// The process of a robust mutex's owner has ended.
bool is_bereft(const sync::Mutex& state) {
  return sync::is_shared(state) && sync::is_robust(state) && sync::is_held(state) &&
         is_bereft_of(sync::holder(state));
}

void bury_owner(sync::Mutex& state) {
  if (is_bereft(state)) sync::owner_died(state);
}

// Memory that a thread still "holds" may have been unmapped: then the kernel says so, not a signal.
bool is_mapped(const void* address, size_t size) {
  char copy[sizeof(sync::Mutex)];
  const iovec to = {copy, size}, from = {const_cast<void*>(address), size};
  const int saved = errno;
  const bool fault =
      process_vm_readv(kernel_process_id(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT;
  errno = saved;
  return !fault;
}

}  // namespace

bool can_lock_mutex(const sync::Mutex& state, sync::Owner who) {
  return sync::can_lock(state, who) || is_bereft(state);
}

int lock_mutex(pthread_mutex_t* mutex, const Until& until, uintptr_t pc) {
  sync::Mutex& state = sync::state_of(mutex);
  check_is_mutex(mutex);
  const bool is_shared = sync::is_shared(state);
  const sync::Owner who = me(is_shared);
  for (;;) {
    // A wrong time matters only when it would be needed.
    if (!until.is_valid()) {
      g_scheduler.reach(operation(OpKind::mutex_lock, mutex, pc));
      if (!can_lock_mutex(state, who)) return finish_lock(mutex, Act::try_lock, EINVAL, pc);
    } else {
      const Wake wake = wait_for_lock(
          is_shared, sync::is_held_by(state, who), operation(OpKind::mutex_lock, mutex, pc),
          [&state, who] { return can_lock_mutex(state, who); },
          shared_check<sync::is_available>(state), {.deadline = until.deadline()});
      if (wake == Wake::timeout) return finish_lock(mutex, Act::try_lock, ETIMEDOUT, pc);
      check_is_mutex(mutex);
    }
    const AmongProcesses alone(is_shared);
    if (is_shared && !can_lock_mutex(state, who)) continue;  // another process was faster
    bury_owner(state);
    return finish_lock(mutex, lock_until(until, Act::lock, Act::try_lock), sync::lock(state, who),
                       pc, until);
  }
}

int try_lock_mutex(pthread_mutex_t* mutex, uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::mutex_trylock, mutex, pc));
  check_is_mutex(mutex);
  sync::Mutex& state = sync::state_of(mutex);
  const AmongProcesses alone(sync::is_shared(state));
  bury_owner(state);
  return finish_lock(mutex, Act::try_lock, sync::try_lock(state, me(sync::is_shared(state))), pc);
}

int unlock_mutex(pthread_mutex_t* mutex, uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::mutex_unlock, mutex, pc));
  check_is_mutex(mutex);
  sync::Mutex& state = sync::state_of(mutex);
  const AmongProcesses alone(sync::is_shared(state));
  const int code = sync::unlock(state, me(sync::is_shared(state)));
  if (code == sync::kMisuse) {
    misuse(mutex, sync::is_held(state) ? "a mutex is unlocked by a thread that does not hold it"
                                       : "a mutex is unlocked that nobody holds");
  }
  if (code == 0 && sync::depth(state) == 0) {
    acted(Act::unlock, mutex);
    released(mutex);
  }
  return code;
}

int destroy_mutex(pthread_mutex_t* mutex, uintptr_t pc) {
  reach_rewrite(mutex, pc);
  check_is_mutex(mutex);
  sync::Mutex& state = sync::state_of(mutex);
  if (sync::is_held(state)) misuse(mutex, "a mutex is destroyed while it is locked");
  if (anybody_waits_for(mutex))
    misuse(mutex, "a mutex is destroyed while a thread wants to lock it");
  sync::destroy(state);
  return 0;
}

void release_robust_mutexes_of(Thread& thread) {
  for (uint32_t i = 0; i < thread.held.count(); ++i) {
    const HeldLocks::Entry& entry = thread.held[i];
    if (entry.kind != OpKind::mutex_lock) continue;
    auto* mutex = reinterpret_cast<pthread_mutex_t*>(entry.object);
    if (!is_mapped(mutex, sizeof(sync::Mutex))) continue;
    sync::Mutex& state = sync::state_of(mutex);
    if (!sync::is_initialised(state) || !sync::is_robust(state)) continue;
    const bool is_shared = sync::is_shared(state);
    const AmongProcesses alone(is_shared);
    const sync::Owner owner =
        is_shared ? among_processes(thread.index) : sync::owner_with_index(thread.index);
    if (!sync::is_held_by(state, owner)) continue;
    sync::owner_died(state);
    acted(Act::unlock, mutex);
    g_races.release(mutex);
    g_scheduler.changed(mutex);
  }
}

}  // namespace jostle::rt

JOSTLE_HOOK int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (!controlled()) return REAL(pthread_mutex_init)(mutex, attributes);
  reach_rewrite(mutex, CALLER());
  if (anybody_waits_for(mutex)) misuse(mutex, "a mutex is initialised while a thread waits for it");
  return REAL(pthread_mutex_init)(mutex, attributes);
}

JOSTLE_HOOK int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (!controlled()) return REAL(pthread_mutex_destroy)(mutex);
  return destroy_mutex(mutex, CALLER());
}

JOSTLE_HOOK int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!controlled()) return REAL(pthread_mutex_lock)(mutex);
  return lock_mutex(mutex, {}, CALLER());
}

JOSTLE_HOOK int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  if (!controlled()) return REAL(pthread_mutex_timedlock)(mutex, time);
  return lock_mutex(mutex, {CLOCK_REALTIME, time}, CALLER());
}

JOSTLE_HOOK int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                        const timespec* time) {
  if (!controlled()) return REAL(pthread_mutex_clocklock)(mutex, clock, time);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  return lock_mutex(mutex, {clock, time}, CALLER());
}

JOSTLE_HOOK int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!controlled()) return REAL(pthread_mutex_trylock)(mutex);
  return try_lock_mutex(mutex, CALLER());
}

JOSTLE_HOOK int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!controlled()) return REAL(pthread_mutex_unlock)(mutex);
  return unlock_mutex(mutex, CALLER());
}

JOSTLE_HOOK int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (!controlled()) return REAL(pthread_mutex_consistent)(mutex);
  check_is_mutex(mutex);
  const int code =
      sync::make_consistent(sync::state_of(mutex), me(sync::is_shared(sync::state_of(mutex))));
  if (code == sync::kMisuse)
    misuse(mutex, "a mutex is made consistent by a thread that does not hold it");
  return code;
}

JOSTLE_HOOK int pthread_mutex_setprioceiling(pthread_mutex_t* mutex, int ceiling, int* old) {
  if (!controlled()) return REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
  return set_ceiling(mutex, ceiling, old, CALLER());
}

JOSTLE_ALIAS(__pthread_mutex_init, pthread_mutex_init);
JOSTLE_ALIAS(__pthread_mutex_destroy, pthread_mutex_destroy);
JOSTLE_ALIAS(__pthread_mutex_lock, pthread_mutex_lock);
JOSTLE_ALIAS(__pthread_mutex_trylock, pthread_mutex_trylock);
JOSTLE_ALIAS(__pthread_mutex_unlock, pthread_mutex_unlock);
JOSTLE_ALIAS(pthread_mutex_consistent_np, pthread_mutex_consistent);
