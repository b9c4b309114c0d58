// SPDX-License-Identifier: Apache-2.0
// Semaphores. Named ones come from the real sem_open; their state is in the shared mapping.
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/permits.h"
#include "src/runtime/sync/semaphore.h"

using namespace jostle;
using namespace jostle::rt;

namespace {

int as_errno(int code) {
  if (code == 0) return 0;
  errno = code;
  return -1;
}

void check_is_semaphore(sem_t* semaphore) {
  if (sync::is_destroyed(sync::state_of(semaphore))) {
    misuse(semaphore, "a semaphore is used after it was destroyed");
  }
}

int take(sem_t* semaphore, const Until& until, uintptr_t pc) {
  if (!until.is_valid()) return EINVAL;
  sync::Semaphore& state = sync::state_of(semaphore);
  check_is_semaphore(semaphore);
  look_for_cancellation();
  const Nanoseconds deadline = until.deadline();
  const bool is_shared = sync::is_shared(state);
  for (;;) {
    Wake wake;
    do {
      const Operation op = operation(OpKind::sem_wait, semaphore, pc);
      const WaitOptions options = {
          .deadline = deadline, .cancellation_point = true, .interruptible = true};
      const auto ready = [&state] { return sync::can_take(state); };
      wake = is_shared ? wait_among_processes(op, ready, options)
                       : g_scheduler.wait_shared(op, shared_check<sync::can_take>(state), options);
      if (wake == Wake::cancelled) {
        acted(Act::try_take, semaphore, false, state.value);
        end_if_cancelled();
      }
      // As the kernel's futex: a wait with a time-out is never restarted.
    } while (wake == Wake::signalled && deadline == kNever && interrupted_calls_restart());
    if (wake != Wake::ready) {
      acted(Act::try_take, semaphore, false, state.value);
      return wake == Wake::timeout ? ETIMEDOUT : EINTR;
    }
    check_is_semaphore(semaphore);
    const AmongProcesses alone(is_shared);
    if (is_shared && !sync::can_take(state)) continue;  // another process was faster
    acted(lock_until(until, Act::take, Act::try_take), semaphore, true, state.value);
    note_permit_taken(reinterpret_cast<uintptr_t>(semaphore), state.value);
    sync::try_take(state);
    g_races.acquire(semaphore);
    g_scheduler.changed(semaphore);
    return 0;
  }
}

}  // namespace

JOSTLE_HOOK int sem_init(sem_t* semaphore, int shared, unsigned value) {
  if (!controlled()) return REAL(sem_init)(semaphore, shared, value);
  reach_rewrite(semaphore, CALLER());
  if (anybody_waits_for(semaphore)) {
    misuse(semaphore, "a semaphore is initialised while a thread waits for it");
  }
  const int result = REAL(sem_init)(semaphore, shared, value);
  if (result == 0) {
    sync::initialise(sync::state_of(semaphore));
    forget_permits_of(reinterpret_cast<uintptr_t>(semaphore));
  }
  return result;
}

JOSTLE_HOOK int sem_destroy(sem_t* semaphore) {
  if (!controlled()) return REAL(sem_destroy)(semaphore);
  reach_rewrite(semaphore, CALLER());
  check_is_semaphore(semaphore);
  if (anybody_waits_for(semaphore)) {
    misuse(semaphore, "a semaphore is destroyed while a thread waits for it");
  }
  sync::destroy(sync::state_of(semaphore));
  return 0;
}

JOSTLE_HOOK int sem_wait(sem_t* semaphore) {
  if (!controlled()) return REAL(sem_wait)(semaphore);
  return as_errno(take(semaphore, {}, CALLER()));
}

JOSTLE_HOOK int sem_timedwait(sem_t* semaphore, const timespec* time) {
  if (!controlled()) return REAL(sem_timedwait)(semaphore, time);
  return as_errno(take(semaphore, {CLOCK_REALTIME, time}, CALLER()));
}

JOSTLE_HOOK int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  if (!controlled()) return REAL(sem_clockwait)(semaphore, clock, time);
  return as_errno(take(semaphore, {clock, time}, CALLER()));
}

JOSTLE_HOOK int sem_trywait(sem_t* semaphore) {
  if (!controlled()) return REAL(sem_trywait)(semaphore);
  g_scheduler.reach(operation(OpKind::mutex_trylock, semaphore, CALLER()));
  check_is_semaphore(semaphore);
  const AmongProcesses alone(sync::is_shared(sync::state_of(semaphore)));
  const uint64_t value = sync::state_of(semaphore).value;
  const int code = sync::try_take(sync::state_of(semaphore));
  acted(Act::try_take, semaphore, code == 0, value);
  if (code == 0) {
    note_permit_taken(reinterpret_cast<uintptr_t>(semaphore), value);
    g_races.acquire(semaphore);
    g_scheduler.changed(semaphore);
  }
  return as_errno(code);
}

JOSTLE_HOOK int sem_post(sem_t* semaphore) {
  if (!controlled()) return REAL(sem_post)(semaphore);
  g_scheduler.reach(operation(OpKind::sem_post, semaphore, CALLER()));
  check_is_semaphore(semaphore);
  sync::Semaphore& state = sync::state_of(semaphore);
  const AmongProcesses alone(sync::is_shared(state));
  const uint64_t value = state.value;
  const int code = sync::post(state);
  acted(code == 0 ? Act::post : Act::read, semaphore, true, value);
  if (code == 0) note_permit_given(reinterpret_cast<uintptr_t>(semaphore));
  if (code == 0) g_races.release(semaphore);
  if (code == 0) g_scheduler.changed(semaphore);
  // Another process that is not ours waits for it in the kernel.
  if (state.kernel_waiters) {
    REAL(syscall)(SYS_futex, &state.value, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  return as_errno(code);
}

JOSTLE_HOOK int sem_getvalue(sem_t* semaphore, int* value) {
  if (!controlled()) return REAL(sem_getvalue)(semaphore, value);
  g_scheduler.reach({.kind = OpKind::atomic_load,
                     .size = sizeof(int),
                     .object = reinterpret_cast<uintptr_t>(semaphore),
                     .pc = CALLER()});
  check_is_semaphore(semaphore);
  *value = static_cast<int>(sync::state_of(semaphore).value);
  kernel_access(true, value, sizeof *value, CALLER());
  return 0;
}
