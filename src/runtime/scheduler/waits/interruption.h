// SPDX-License-Identifier: Apache-2.0
// Signal handlers and asynchronous cancellation in the middle of a wait.
//
// A thread that waits for a lock, a condition, another thread goes on waiting when a signal comes:
// its handler runs, an ordinary stretch of the thread's execution with events and waits of its own,
// and then the thread waits for what it waited for before. In between that wait is *suspended*:
// what Thread knows of it is kept here, and a stand-in keeps its place in the parking lot, so that
// a wake-up that comes while the handler runs reaches it and is not lost.
#pragma once

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// Linux has 64 signals: the first word of a set is all of it.
inline uint64_t signal_word(const sigset_t& set) {
  return *reinterpret_cast<const uint64_t*>(&set);
}

inline bool has_deliverable_signal(const Thread& thread) {
  return (signal_word(thread.signals_pending) & ~signal_word(thread.signal_mask)) != 0;
}

// Another thread asked something of this one that it has to do at its next hook.
inline bool has_request(const Thread& thread) {
  return has_deliverable_signal(thread) || (thread.cancel_requested && thread.cancel_asynchronous &&
                                            thread.cancel_enabled && !thread.exiting);
}

// Its wait is a cancellation point, and somebody has cancelled the thread.
inline bool is_cancelled(const Thread& thread) {
  return thread.cancellable_wait && thread.cancel_requested && thread.cancel_enabled &&
         !thread.exiting;
}

// When it can go on depends on what it waits for alone.
inline bool Scheduler::is_like_others(const Thread& t) const {
  return t.ready.is_shared && t.live && !t.stopped && !t.aside && !t.timed_wait &&
         !t.external_wait && !is_cancelled(t) && !has_request(t);
}

// It cannot go on, but has something to do before it waits on.
inline bool is_disturbed(const Thread& thread) {
  return has_request(thread) && !thread.interruptible_wait && !thread.undisturbed_wait &&
         !is_cancelled(thread) && !thread.ready();
}

// In engine memory: the stack that the wait is on may be gone when the run is over.
struct SuspendedWait {
  Thread stand_in;                 // never live: it is found in the parking lot, and nowhere else
  SuspendedWait* outer = nullptr;  // of the same thread, or the next unused one
  bool timed = false;
  bool external = false;
  void (*abandoned)(void* context) = nullptr;
  void* abandoned_context = nullptr;
};

}  // namespace jostle::rt
