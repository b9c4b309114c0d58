// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/thread/thread_end.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unwind.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/sync/robust.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/scheduler/waits/interruption.h"

using namespace jostle;
using namespace jostle::rt;

namespace jostle::rt {
namespace {

// The buffer that pthread_cleanup_push of a C program keeps in its frame. `pad[0]` links to the
// outer one, as in glibc.
void*& outer(__pthread_unwind_buf_t* buffer) { return buffer->__pad[0]; }

// How far out on the thread's stack. What is not on it at all, an alternate stack of a signal
// handler's, is further in. The outermost frame may end where the stack does (aarch64).
uintptr_t outwards(const Thread& t, uintptr_t address) { return address - t.stack_end - 1; }

// Called for every frame on the way out.
_Unwind_Reason_Code next_frame(int, _Unwind_Action actions, _Unwind_Exception_Class,
                               _Unwind_Exception*, _Unwind_Context* context, void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  const bool at_end = (actions & _UA_END_OF_STACK) != 0;
  const uintptr_t frame = at_end ? UINTPTR_MAX : outwards(t, _Unwind_GetCFA(context));
  auto* buffer = static_cast<__pthread_unwind_buf_t*>(t.cleanup_buffers);
  // A C cleanup handler registered in this frame: its code runs the handler and then comes back
  // through __pthread_unwind_next.
  if (buffer && outwards(t, reinterpret_cast<uintptr_t>(buffer)) < frame) {
    _longjmp(*reinterpret_cast<jmp_buf*>(buffer->__cancel_jmp_buf), 1);
  }
  if (frame >= outwards(t, t.base_frame)) _longjmp(t.exit_point, 1);
  return _URC_NO_REASON;
}

void swallowed(_Unwind_Reason_Code, _Unwind_Exception*) {
  // A catch (...) without rethrow ate the unwinding; glibc aborts the process here, too.
  static const char message[] = "FATAL: exception not rethrown\n";
  (void)!REAL(write)(2, message, sizeof message - 1);
  abort();
}

[[noreturn]] void unwind(Thread& t) {
  t.unwind = {};
  t.unwind.exception_cleanup = swallowed;
  _Unwind_ForcedUnwind(&t.unwind, next_frame, &t);
  // Frames without unwind tables: nothing left to run but the end of the thread.
  _longjmp(t.exit_point, 1);
}

}  // namespace

void exit_current_thread(void* result) {
  Thread& t = *g_current;
  t.result = result;
  t.exiting = true;
  unwind(t);
}

void end_of_thread(Thread& t) {
  t.exiting = true;  // no cancellation any more
  g_scheduler.answer_requests();
  run_tls_destructors(t);
  run_key_destructors(t);
  g_scheduler.answer_requests();
  release_robust_mutexes_of(t);
  hand_over_signals();
  if (is_last_thread()) exit(0);  // it ends the process
  g_scheduler.finish_current();
}

bool is_last_thread() {
  const bool is_last = g_scheduler.live_threads() == 1;
  if (g_actions.active()) g_actions.asks_whether_last(is_last);
  return is_last;
}

void exit_current_thread_at_once() {
  Thread& t = *g_current;
  t.exiting = true;
  forget_key_values(t);
  release_robust_mutexes_of(t);
  hand_over_signals();
  g_scheduler.finish_current();
}

void cancellation_point() {
  look_for_cancellation();
  g_current->looks_again_at = g_current->events + 2;  // behind the next one
}

void look_for_cancellation() {
  if (g_actions.active()) g_actions.looks_for_cancellation(*g_current);
  end_if_cancelled();
}

void end_if_cancelled() {
  Thread& t = *g_current;
  if (!t.cancel_requested || !t.cancel_enabled || t.exiting) return;
  g_races.acquire(&t.cancel_requested);
  exit_current_thread(PTHREAD_CANCELED);
}

}  // namespace jostle::rt

JOSTLE_HOOK void pthread_exit(void* result) {
  if (!controlled()) REAL(pthread_exit)(result);
  exit_current_thread(result);
}

// ---- C cleanup handlers ------------------------------------------------------------------------

extern "C" {
void __pthread_register_cancel(__pthread_unwind_buf_t*);
void __pthread_unregister_cancel(__pthread_unwind_buf_t*);
void __pthread_register_cancel_defer(__pthread_unwind_buf_t*);
void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t*);
[[noreturn]] void __pthread_unwind_next(__pthread_unwind_buf_t*);
}

JOSTLE_HOOK void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  if (!controlled()) return REAL(__pthread_register_cancel)(buffer);
  outer(buffer) = g_current->cleanup_buffers;
  g_current->cleanup_buffers = buffer;
}
JOSTLE_HOOK void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  if (!controlled()) return REAL(__pthread_unregister_cancel)(buffer);
  g_current->cleanup_buffers = outer(buffer);
}
JOSTLE_HOOK void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer) {
  if (!controlled()) return REAL(__pthread_register_cancel_defer)(buffer);
  __pthread_register_cancel(buffer);
  buffer->__pad[1] = g_current->cancel_asynchronous ? buffer : nullptr;
  g_current->cancel_asynchronous = false;
}
JOSTLE_HOOK void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer) {
  if (!controlled()) return REAL(__pthread_unregister_cancel_restore)(buffer);
  __pthread_unregister_cancel(buffer);
  g_current->cancel_asynchronous = buffer->__pad[1] != nullptr;
}
JOSTLE_HOOK void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  if (!controlled()) REAL(__pthread_unwind_next)(buffer);
  g_current->cleanup_buffers = outer(buffer);
  unwind(*g_current);
}

// ---- cancellation ------------------------------------------------------------------------------

JOSTLE_HOOK int pthread_cancel(pthread_t handle) {
  if (!controlled()) return REAL(pthread_cancel)(handle);
  Thread* target = g_scheduler.find(handle);
  if (target) {
    g_scheduler.reach(operation(OpKind::thread_cancel, target, CALLER()));
    target = g_scheduler.find(handle);  // somebody may have joined it meanwhile
  }
  if (!target) {
    // Which one it was that is gone is not known, nor what it would have done.
    if (g_actions.active()) g_actions.gap(TrailGap::signals, CALLER());
    return ESRCH;
  }
  if (g_actions.active()) g_actions.cancels(*target);
  if (target->finished) return 0;
  const bool was_cancelled = is_cancelled(*target);
  target->cancel_requested = true;
  if (!was_cancelled && is_cancelled(*target) && target->pending.kind == OpKind::cond_wait) {
    // It does not wait for a signal any more.
    const auto* condition = reinterpret_cast<const void*>(target->pending.object);
    if (g_actions.active()) g_actions.expels(condition, *target);
  }
  g_races.release(&target->cancel_requested);
  if (target == g_current) {
    if (target->cancel_asynchronous) end_if_cancelled();
  } else {
    g_scheduler.signal_thread(*target);
  }
  return 0;
}

JOSTLE_HOOK int pthread_setcancelstate(int state, int* old) {
  if (!controlled()) return REAL(pthread_setcancelstate)(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  Thread& t = *g_current;
  if (old) *old = t.cancel_enabled ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE;
  t.cancel_enabled = state == PTHREAD_CANCEL_ENABLE;
  if (t.cancel_asynchronous) cancellation_point();
  return 0;
}

JOSTLE_HOOK int pthread_setcanceltype(int type, int* old) {
  if (!controlled()) return REAL(pthread_setcanceltype)(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  Thread& t = *g_current;
  if (old) *old = t.cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  t.cancel_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (g_actions.active()) g_actions.looks_for_cancellation(t);
  if (t.cancel_asynchronous) cancellation_point();
  return 0;
}

JOSTLE_HOOK void pthread_testcancel() {
  if (!controlled()) return REAL(pthread_testcancel)();
  g_scheduler.reach(operation(OpKind::thread_cancel, nullptr, CALLER()));
  look_for_cancellation();
}
