// SPDX-License-Identifier: Apache-2.0
// The calls behind the synchronisation hooks: the same for the POSIX names and for the C11 names of
// an object. Each is one scheduling point, one step of the state machine in src/runtime/sync, and
// the notice to the scheduler that the object changed. `pc` is where the program called.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/hook/hook_frame.h"  // last: it says where hooks begin
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/process/family.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/oracle/lock_order.h"
#include "src/runtime/sync/mutex.h"
#include "src/runtime/sync/owner.h"

namespace jostle::rt {

// When a wait ends at the latest, as the program says it.
struct Until {
  clockid_t clock = CLOCK_REALTIME;
  const timespec* time = nullptr;  // null: never

  bool is_valid() const {
    return !time || ((clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && valid(*time));
  }
  Nanoseconds deadline() const { return time ? virtual_deadline(clock, *time) : kNever; }
};

int lock_mutex(pthread_mutex_t* mutex, const Until& until, uintptr_t pc);
int try_lock_mutex(pthread_mutex_t* mutex, uintptr_t pc);
int unlock_mutex(pthread_mutex_t* mutex, uintptr_t pc);
int destroy_mutex(pthread_mutex_t* mutex, uintptr_t pc);

// sync::can_lock, also for who finds that the process of its owner has ended.
bool can_lock_mutex(const sync::Mutex& state, sync::Owner who);

int wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const Until& until,
                   uintptr_t pc);
int signal_condition(pthread_cond_t* condition, uintptr_t pc);
int broadcast_condition(pthread_cond_t* condition, uintptr_t pc);
int destroy_condition(pthread_cond_t* condition, uintptr_t pc);

int run_once(pthread_once_t* control, void (*routine)(), uintptr_t pc);

// ---- for the hooks themselves

inline sync::Owner me() { return sync::owner_with_index(g_current->index); }
// The same for an object that other processes may share.
inline sync::Owner me(bool is_shared) { return is_shared ? me_among_processes() : me(); }

// Waits for an object that other processes may share.
template <typename Ready>
Wake wait_for_object(bool is_shared, const Operation& op, Ready&& ready,
                     const WaitOptions& options = {}) {
  return is_shared ? wait_among_processes(op, ready, options)
                   : g_scheduler.wait(op, ready, options);
}

// The same for a lock. Whoever does not hold it has the check `alike`, and may be one of a crowd.
template <typename Ready>
Wake wait_for_lock(bool is_shared, bool is_own, const Operation& op, Ready&& ready,
                   const ReadyCheck& alike, const WaitOptions& options) {
  return is_shared || is_own ? wait_for_object(is_shared, op, ready, options)
                             : g_scheduler.wait_shared(op, alike, options);
}

// A point before all of an object is written: initialising or destroying it.
template <typename Object>
void reach_rewrite(Object* object, uintptr_t pc) {
  g_scheduler.reach({.kind = OpKind::write,
                     .size = sizeof(Object),
                     .object = reinterpret_cast<uintptr_t>(object),
                     .pc = pc});
}

inline bool anybody_waits_for(const volatile void* object) {
  return g_scheduler.next_pending_on(reinterpret_cast<uintptr_t>(object), nullptr) != nullptr;
}

// For who explores all schedules, or reads a report: what a hook did, if the object counts as one
// at all.
inline void acted(Act act, const volatile void* object, bool took_effect = true,
                  uint64_t value = 0) {
  if (!took_effect) g_scheduler.note_in_vain(reinterpret_cast<uintptr_t>(object));
  if (g_actions.active()) g_actions.act(act, object, took_effect, value);
}

// Who gets a lock although its time may strike, or is up, has tried to get it.
inline Act lock_until(const Until& until, Act lock, Act try_lock) {
  if (!until.time) return lock;
  const bool may_strike = g_scheduler.explores_time_outs() || g_scheduler.now() >= until.deadline();
  return may_strike ? try_lock : lock;
}

// Who waits for a time only is no part of a deadlock.
inline void acquired(const volatile void* object, OpKind kind, uintptr_t pc,
                     const Until& until = {}) {
  note_acquired(reinterpret_cast<uintptr_t>(object), kind, pc);
  if (!until.time) note_lock_order();
  g_races.lock(reinterpret_cast<uintptr_t>(object), kind);
  g_scheduler.changed(reinterpret_cast<uintptr_t>(object));
}

// How it was held.
inline OpKind released(const volatile void* object) {
  const OpKind kind = g_current->held.remove(reinterpret_cast<uintptr_t>(object));
  g_races.unlock(reinterpret_cast<uintptr_t>(object), kind);
  g_scheduler.changed(reinterpret_cast<uintptr_t>(object));
  return kind;
}

}  // namespace jostle::rt
