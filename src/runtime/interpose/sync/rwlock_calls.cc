// SPDX-License-Identifier: Apache-2.0
// Read-write locks.
#include <pthread.h>

#include <cerrno>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/sync/rwlock.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

void check_is_rwlock(pthread_rwlock_t* lock) {
  const sync::Rwlock& state = sync::state_of(lock);
  if (sync::is_initialised(state)) return;
  misuse(
      lock,
      sync::is_destroyed(state)
          ? "a read-write lock is used after it was destroyed"
          : "what is used as a read-write lock is none: never initialised, or overwritten since");
}

int lock_for_reading(pthread_rwlock_t* lock, const Until& until, uintptr_t pc) {
  if (!until.is_valid()) return EINVAL;
  sync::Rwlock& state = sync::state_of(lock);
  check_is_rwlock(lock);
  const bool is_shared = sync::is_shared(state);
  const sync::Owner who = me(is_shared);
  for (;;) {
    const Wake wake =
        wait_for_lock(is_shared, sync::is_held_for_writing_by(state, who),
                      operation(OpKind::rwlock_read, lock, pc),
                      [&state, who] { return sync::can_read(state, who); },
                      shared_check<sync::is_readable>(state), {.deadline = until.deadline()});
    if (wake == Wake::timeout) {
      acted(Act::try_share, lock, false);
      return ETIMEDOUT;
    }
    check_is_rwlock(lock);
    const AmongProcesses alone(is_shared);
    if (is_shared && !sync::can_read(state, who)) continue;  // another process was faster
    const int code = sync::lock_read(state, who);
    const Act act = lock_until(until, Act::share, Act::try_share);
    acted(code == 0 ? act : Act::try_share, lock, code == 0);
    if (code == 0) acquired(lock, OpKind::rwlock_read, pc, until);
    return code;
  }
}

// For kinds that hold readers back while a writer waits, its arrival is an event and its turn is
// another: before it has arrived it holds nobody back.
void arrive_as_writer(pthread_rwlock_t* lock, const Operation& op) {
  g_scheduler.reach(op);
  check_is_rwlock(lock);
  const AmongProcesses alone(sync::is_shared(sync::state_of(lock)));
  sync::add_waiting_writer(sync::state_of(lock));
  acted(Act::write, lock);
  if (g_actions.active()) g_actions.gap(TrailGap::writers, op.pc);
  g_scheduler.changed(lock);
}

void leave_as_writer(pthread_rwlock_t* lock) {
  const AmongProcesses alone(sync::is_shared(sync::state_of(lock)));
  sync::remove_waiting_writer(sync::state_of(lock));
  acted(Act::write, lock);
  g_scheduler.changed(lock);
}

void leave_without_lock(void* lock) { leave_as_writer(static_cast<pthread_rwlock_t*>(lock)); }

int lock_for_writing(pthread_rwlock_t* lock, const Until& until, uintptr_t pc) {
  if (!until.is_valid()) return EINVAL;
  sync::Rwlock& state = sync::state_of(lock);
  check_is_rwlock(lock);
  const Operation op = operation(OpKind::rwlock_write, lock, pc);
  const bool respected = sync::prefers_writers(state);
  const bool is_shared = sync::is_shared(state);
  const sync::Owner who = me(is_shared);
  if (respected) arrive_as_writer(lock, op);
  for (;;) {
    if (!respected || !sync::can_write(state, who)) {
      const Wake wake = wait_for_lock(is_shared, sync::is_held_for_writing_by(state, who), op,
                                      [&state, who] { return sync::can_write(state, who); },
                                      shared_check<sync::is_writable>(state),
                                      {.deadline = until.deadline(),
                                       .abandoned = respected ? leave_without_lock : nullptr,
                                       .abandoned_context = lock});
      check_is_rwlock(lock);
      if (wake == Wake::timeout) {
        if (respected) leave_as_writer(lock);
        acted(Act::try_lock, lock, false);
        return ETIMEDOUT;
      }
    }
    if (!is_shared && respected) leave_as_writer(lock);
    const AmongProcesses alone(is_shared);
    if (is_shared && !sync::can_write(state, who)) continue;  // another process was faster
    const int code = sync::lock_write(state, who);
    if (is_shared && respected) sync::remove_waiting_writer(state);
    const Act act = lock_until(until, Act::lock, Act::try_lock);
    acted(code == 0 ? act : Act::try_lock, lock, code == 0);
    if (code == 0) acquired(lock, OpKind::rwlock_write, pc, until);
    return code;
  }
}

int try_lock(pthread_rwlock_t* lock, int (*step)(sync::Rwlock&, sync::Owner), OpKind held,
             uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::mutex_trylock, lock, pc));
  check_is_rwlock(lock);
  const bool is_shared = sync::is_shared(sync::state_of(lock));
  const AmongProcesses alone(is_shared);
  const int code = step(sync::state_of(lock), me(is_shared));
  acted(held == OpKind::rwlock_read ? Act::try_share : Act::try_lock, lock, code == 0);
  if (code == 0) acquired(lock, held, pc);
  return code;
}

}  // namespace

JOSTLE_HOOK int pthread_rwlock_init(pthread_rwlock_t* lock,
                                    const pthread_rwlockattr_t* attributes) {
  if (!controlled()) return REAL(pthread_rwlock_init)(lock, attributes);
  reach_rewrite(lock, CALLER());
  if (anybody_waits_for(lock)) {
    misuse(lock, "a read-write lock is initialised while a thread waits for it");
  }
  return REAL(pthread_rwlock_init)(lock, attributes);
}

JOSTLE_HOOK int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (!controlled()) return REAL(pthread_rwlock_destroy)(lock);
  reach_rewrite(lock, CALLER());
  check_is_rwlock(lock);
  if (sync::is_held(sync::state_of(lock))) {
    misuse(lock, "a read-write lock is destroyed while it is locked");
  }
  if (anybody_waits_for(lock)) {
    misuse(lock, "a read-write lock is destroyed while a thread wants to lock it");
  }
  sync::destroy(sync::state_of(lock));
  return 0;
}

JOSTLE_HOOK int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return REAL(pthread_rwlock_rdlock)(lock);
  return lock_for_reading(lock, {}, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return REAL(pthread_rwlock_timedrdlock)(lock, time);
  return lock_for_reading(lock, {CLOCK_REALTIME, time}, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                           const timespec* time) {
  if (!controlled()) return REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
  return lock_for_reading(lock, {clock, time}, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return REAL(pthread_rwlock_tryrdlock)(lock);
  return try_lock(lock, sync::try_lock_read, OpKind::rwlock_read, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return REAL(pthread_rwlock_wrlock)(lock);
  return lock_for_writing(lock, {}, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return REAL(pthread_rwlock_timedwrlock)(lock, time);
  return lock_for_writing(lock, {CLOCK_REALTIME, time}, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                           const timespec* time) {
  if (!controlled()) return REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
  return lock_for_writing(lock, {clock, time}, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return REAL(pthread_rwlock_trywrlock)(lock);
  return try_lock(lock, sync::try_lock_write, OpKind::rwlock_write, CALLER());
}

JOSTLE_HOOK int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!controlled()) return REAL(pthread_rwlock_unlock)(lock);
  g_scheduler.reach(operation(OpKind::rwlock_unlock, lock, CALLER()));
  check_is_rwlock(lock);
  sync::Rwlock& state = sync::state_of(lock);
  const AmongProcesses alone(sync::is_shared(state));
  if (sync::unlock(state, me(sync::is_shared(state))) == sync::kMisuse) {
    misuse(lock, sync::is_held(state)
                     ? "a read-write lock is unlocked by a thread that does not hold it"
                     : "a read-write lock is unlocked that nobody holds");
  }
  acted(released(lock) == OpKind::rwlock_read ? Act::unshare : Act::unlock, lock);
  return 0;
}

JOSTLE_ALIAS(__pthread_rwlock_init, pthread_rwlock_init);
JOSTLE_ALIAS(__pthread_rwlock_destroy, pthread_rwlock_destroy);
JOSTLE_ALIAS(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
JOSTLE_ALIAS(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
JOSTLE_ALIAS(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
JOSTLE_ALIAS(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
JOSTLE_ALIAS(__pthread_rwlock_unlock, pthread_rwlock_unlock);
