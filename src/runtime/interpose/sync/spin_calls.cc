// SPDX-License-Identifier: Apache-2.0
// Spin locks. They do not spin here: who wants one waits for it like for a mutex.
#include <pthread.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/sync/spin.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

void check_is_spin_lock(pthread_spinlock_t* lock) {
  if (sync::is_destroyed(sync::state_of(lock))) {
    misuse(lock, "a spin lock is used after it was destroyed");
  }
}

bool is_available(const sync::Spin& lock) {
  return !sync::is_held(lock) || sync::is_destroyed(lock);
}

bool take(sync::Spin& state) {
  const AmongProcesses alone(true);
  return sync::try_lock(state, me()) == 0;
}

}  // namespace

JOSTLE_HOOK int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  if (!controlled()) return REAL(pthread_spin_init)(lock, shared);
  reach_rewrite(lock, CALLER());
  if (anybody_waits_for(lock))
    misuse(lock, "a spin lock is initialised while a thread waits for it");
  return REAL(pthread_spin_init)(lock, shared);
}

JOSTLE_HOOK int pthread_spin_destroy(pthread_spinlock_t* lock) {
  if (!controlled()) return REAL(pthread_spin_destroy)(lock);
  reach_rewrite(lock, CALLER());
  check_is_spin_lock(lock);
  if (sync::is_held(sync::state_of(lock))) {
    misuse(lock, "a spin lock is destroyed while it is locked");
  }
  if (anybody_waits_for(lock)) {
    misuse(lock, "a spin lock is destroyed while a thread wants to lock it");
  }
  sync::destroy(sync::state_of(lock));
  return 0;
}

JOSTLE_HOOK int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (!controlled()) return REAL(pthread_spin_lock)(lock);
  const uintptr_t pc = CALLER();
  sync::Spin& state = sync::state_of(lock);
  check_is_spin_lock(lock);
  const Operation op = operation(OpKind::spin_lock, lock, pc);
  do {
    // Nothing in it says whether other processes share it.
    if (has_family()) {
      wait_among_processes(op, [&state] { return is_available(state); }, {});
    } else {
      g_scheduler.wait_shared(op, shared_check<is_available>(state));
    }
    check_is_spin_lock(lock);
  } while (!take(state));
  acted(Act::lock, lock);
  acquired(lock, OpKind::spin_lock, pc);
  return 0;
}

JOSTLE_HOOK int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!controlled()) return REAL(pthread_spin_trylock)(lock);
  const uintptr_t pc = CALLER();
  g_scheduler.reach(operation(OpKind::mutex_trylock, lock, pc));
  check_is_spin_lock(lock);
  const int code = take(sync::state_of(lock)) ? 0 : EBUSY;
  acted(Act::try_lock, lock, code == 0);
  if (code == 0) acquired(lock, OpKind::spin_lock, pc);
  return code;
}

JOSTLE_HOOK int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!controlled()) return REAL(pthread_spin_unlock)(lock);
  g_scheduler.reach(operation(OpKind::spin_unlock, lock, CALLER()));
  check_is_spin_lock(lock);
  sync::Spin& state = sync::state_of(lock);
  if (sync::unlock(state, me()) == sync::kMisuse) {
    misuse(lock, sync::is_held(state) ? "a spin lock is unlocked by a thread that does not hold it"
                                      : "a spin lock is unlocked that nobody holds");
  }
  acted(Act::unlock, lock);
  released(lock);
  return 0;
}
