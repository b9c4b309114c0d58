// SPDX-License-Identifier: Apache-2.0
// A thread of the target: a fiber with a thread-local block of its own, its place in the schedule
// (what it is about to do, can it, until when does it wait), and what POSIX knows about a thread.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unwind.h>

#include <csetjmp>
#include <cstdint>

#include "src/runtime/fiber/context.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/memory/call_stack.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/scheduler/fairness/loop_watch.h"
#include "src/runtime/scheduler/fairness/polling.h"
#include "src/runtime/scheduler/fairness/spin_detector.h"
#include "src/runtime/scheduler/fairness/stillness.h"
#include "src/runtime/scheduler/held_locks.h"
#include "src/schedule/action_trail.h"
#include "src/schedule/operation.h"
#include "src/schedule/trace_event.h"

namespace jostle::rt {

// Virtual time in nanoseconds since the start of the run; kNever: no time-out.
using Nanoseconds = int64_t;
inline constexpr Nanoseconds kNever = INT64_MAX;

// "Can the published operation execute now?" Evaluated by the scheduler, also while another thread
// runs: it must only look at state that outlives the wait (the waiter's own frame does).
struct ReadyCheck {
  bool (*test)(void* context) = nullptr;  // null: always
  void* context = nullptr;
  bool is_shared =
      false;  // `context` is the object: all who have the same check get the same answer
  bool operator()() const { return !test || test(context); }
};

// Whether anybody who waits for the object can go on: it asks for nothing of the thread.
template <auto kTest, typename Object>
ReadyCheck shared_check(Object& object) {
  return {[](void* context) { return kTest(*static_cast<const Object*>(context)); },
          const_cast<void*>(static_cast<const volatile void*>(&object)), true};
}

// What a thread's event loop learned last, as far as its callbacks have not used it up.
struct LoopReport {
  static constexpr uint32_t kMost = 8;
  int descriptors[kMost];
  uint32_t count = 0;
  uint32_t used = 0;
  bool waited = false;       // it has waited at all
  bool took_time = false;    // not only looked
  uint64_t passed_over = 0;  // hash of the set of what is ready, too
  // Where the run was when the loop began to wait.
  uint32_t choices = 0, segments = 0;
  uint64_t events = 0;
  int64_t since = 0;  // virtual time
};

// What the program wishes of the scheduler that it believes to have.
struct Scheduling {
  int policy = SCHED_OTHER;
  int priority = 0;
  int nice = 0;
  bool resets_on_fork = false;
};
struct SuspendedWait;  // interruption.h
struct Crowd;          // crowd.h

struct TlsDestructor {
  void (*function)(void*);
  void* object;
  void* module;
};

inline constexpr int kMaxKeys = 1024;  // PTHREAD_KEYS_MAX

struct Thread {
  // -- touched by every hook
  uint64_t events = 0;              // hooks reached; the number of the operation it is about to do
  uint64_t slice_end = UINT64_MAX;  // so many events without a scheduling point: others first
  // Leave the fast path when `events` gets here. Not beside `events`: processors that load pairs
  // would wait until the last store to one half is through.
  uint64_t stop_at = UINT64_MAX;
  uint64_t skip_until = 0;    // accesses before this event are no scheduling points
  SharingAge sharing = {};    // its tag in the sharing table
  uintptr_t stack_begin = 0;  // bounds of its stack
  uintptr_t stack_end = 0;
  CallStack calls;
  // For callbacks.h: functions entered from fewer frames than `loop_frames` are those of the event
  // loop that has just learned of something; a callback that runs ends at `callback_frames`.
  uint32_t loop_frames = 0;
  uint32_t watched_frames = 0;    // loop_frames, or what it takes to see what a callback calls
  uint32_t inner_calls_left = 0;  // to be noted of the callback that runs
  uintptr_t loop_waits_at = 0;    // where that loop waits
  uint32_t callback_frames = UINT32_MAX;
  uint32_t exits_seen_below = 0;  // who returns to fewer frames than this is looked at
  bool runs_task = false;         // the callback is a task of such a library: is_task_library

  // -- schedule. A thread has some four kilobytes: what every decision looks at comes first, and
  // together.
  ThreadId id = kNoThread;  // slot in the table of live threads
  uint32_t index = 0;       // n-th thread created in this run; index of its ThreadRecord
  uint32_t parent_index = 0;
  uint32_t children = 0;  // spawned so far: ordinal of the next child
  Operation pending;
  ReadyCheck ready;
  Context context;
  uint64_t last_ran = 0;           // steps of the run when it was last picked
  uint32_t yields = 0;             // since it could last not go on
  uint64_t first_yield = 0;        // of these: steps of the run
  uint64_t watch_at = UINT64_MAX;  // its event at which it is watched for standing still
  SpinDetector spin;
  uint64_t ignored_accesses = 0;  // see memory/race_annotations.h
  bool live = false;
  bool cancel_requested = false;
  bool cancel_enabled = true;
  bool cancel_asynchronous = false;
  bool exiting = false;
  bool in_lot = false;            // linked into the parking lot under pending object `parked_on`
  bool time_is_eager = false;     // its time-out may strike although others could run
  bool waits_for_others = false;  // its time-out does not strike: that is another run
  uint32_t early_time_outs = 0;   // of this run, that were choices
  bool timed_wait = false;
  bool cancellable_wait = false;
  bool interruptible_wait = false;
  bool undisturbed_wait = false;
  bool stopped = false;        // for good, by a test of progress: standstill.cc
  bool aside = false;          // spins: runs only when nobody else can
  bool external_wait = false;  // the ready check asks the kernel: poll when nobody else can run
  bool woken = false;          // generic "your wait is over" flag for cond, futex, barrier, sem
  uint32_t at_stop = 0;        // has entered this stop point (StopKind bits): its next operation is
                               // a scheduling point
  uint32_t no_preempt = 0;     // > 0: inside a region that must not be left voluntarily
  sigset_t signals_pending{};
  sigset_t signal_mask{};
  uintptr_t parked_on = 0;
  Nanoseconds deadline = kNever;
  Nanoseconds waits_since = 0;
  uint64_t due_at = UINT64_MAX;  // event of the run from which on its time-out may strike although
                                 // others are busy
  SuspendedWait* suspended = nullptr;  // the wait that a signal handler of this thread interrupted
  uint64_t wait_announced = UINT64_MAX;  // while recording: where in the trace its wait is
  Thread* lot_next = nullptr;
  Thread* lot_previous = nullptr;
  Crowd* crowd = nullptr;      // of those who wait for the same
  uint64_t enabled_at = 0;     // the step at which it could run for the last time
  uint64_t watched_since = 0;  // the step at which watching it began
  // In the trail of the run, if there is one (memory/actions.h): its last step, and the one because
  // of which it can go on.
  uint32_t last_step = kNoStep, enabled_by = kNoStep, enabled_after = 0;
  uint32_t cancelled_in = kNoStep;  // the step that cancelled it first
  // Before this event of its own it does not look whether it was cancelled, but makes a call that
  // began by doing so.
  uint64_t looks_again_at = 0;
  uintptr_t left_frames = 0;  // how deep its stack was when it was last looked at

  Stillness stillness;
  Polling polling;
  LoopWatch loop;
  HeldLocks held;
  void* team = nullptr;  // of OpenMP, in whose region it works: interpose/sync/openmp_calls.cc

  // -- its event loop, see callbacks.h
  uint32_t callback = UINT32_MAX;  // record of the one that runs
  uint64_t last_callback = 0;      // where the one before was
  uint64_t callback_before = 0;    // and the one before that
  LoopReport loop_report;

  uintptr_t volatile_pc = 0;  // where it is at a volatile access that counts as atomic

  // -- execution
  // Where the program's own frames end while it is in a hook that notes it (hook_frame.h), and
  // where it called that hook.
  uintptr_t hook_frame = 0, hook_pc = 0;
  Donor* donor = nullptr;  // null for the main thread
  FiberStack stack;
  size_t asked_stack_size = 0, asked_guard_size = 0;  // by the program, which gets these as answers
  channel::Stack* stopped_at = nullptr;               // while recording: where it last gave way
  channel::TraceEvent* traced = nullptr;              // while recording: its last event
  channel::TraceEvent* unread_value = nullptr;  // its last access, if what it saw is not noted yet
  jmp_buf exit_point;  // where pthread_exit and cancellation end up after unwinding
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;

  // -- POSIX
  pthread_t self = 0;
  bool detached = false;
  bool finished = false;
  bool joined = false;  // somebody is waiting in pthread_join
  ThreadId joiner = kNoThread;
  bool in_cancellation_point = false;
  uintptr_t base_frame = 0;         // frame that called the start routine: unwinding ends there
  _Unwind_Exception unwind{};       // what pthread_exit and cancellation unwind with
  void* cleanup_buffers = nullptr;  // __pthread_unwind_buf_t list of C cleanup handlers
  char name[16] = {};
  cpu_set_t affinity{};
  bool has_affinity = false;
  Scheduling scheduling;
  // Values live in engine memory, allocated at the first pthread_setspecific.
  void** key_values = nullptr;
  uint32_t* key_generations = nullptr;
  TlsDestructor* tls_destructors = nullptr;
  uint32_t tls_destructor_count = 0, tls_destructor_capacity = 0;
  // What the C++ library is to do for it when it has ended: interpose/thread/thread_keys.cc.
  bool notifies_at_end = false, sets_results_at_end = false;
};

}  // namespace jostle::rt
