// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/backtrace.h"

#include <unwind.h>

#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

struct Capture {
  channel::Stack* stack;
  uintptr_t from;
  bool ends_here = false;  // the frame that was added last
  uintptr_t begin = 0;     // of the innermost frame
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& capture = *static_cast<Capture*>(argument);
  channel::Stack& stack = *capture.stack;
  // What the unwinder calls the frame's address is where the one before it ends.
  const uintptr_t begin = _Unwind_GetCFA(context);
  const bool is_adjacent = capture.ends_here;
  if (is_adjacent) {
    stack.frame[stack.depth - 1] = begin;
    if (stack.depth == 1) stack.innermost = static_cast<uint32_t>(begin - capture.begin);
  }
  capture.ends_here = false;
  int interrupted = 0;  // by a signal: it is an instruction's own address
  uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
  if (pc == 0) return _URC_END_OF_STACK;
  if (pc == capture.from) {
    stack.depth = 0;  // what came before are signal frames
    stack.innermost = 0;
    stack.not_adjacent = 0;
  } else if (interrupted && !is_own_code(pc)) {
    ++pc;  // others are return addresses: what is meant is the instruction before them
  }
  if (is_own_code(pc)) return _URC_NO_REASON;
  if (stack.depth == channel::kMaxStack) return _URC_END_OF_STACK;
  if (stack.depth == 0) {
    capture.begin = begin;
  } else if (!is_adjacent) {
    stack.not_adjacent |= uint64_t{1} << stack.depth;
  }
  stack.pc[stack.depth] = pc;
  stack.frame[stack.depth++] = 0;
  capture.ends_here = true;
  return _URC_NO_REASON;
}

}  // namespace

void init_backtrace() {
  channel::Stack unused;
  capture_own_stack(unused, 0);
}

void capture_own_stack(channel::Stack& stack, uintptr_t from) {
  stack.depth = 0;
  stack.innermost = 0;
  stack.not_adjacent = 0;
  // The unwinder may call hooked functions (pthread_once, memset): they must not schedule.
  Thread* current = g_current;
  g_current = nullptr;
  Capture capture{&stack, from};
  _Unwind_Backtrace(add_frame, &capture);
  g_current = current;
  if (stack.depth == 0 && from) {
    stack.depth = 1;
    stack.pc[0] = from;
    stack.frame[0] = 0;
  }
}

}  // namespace jostle::rt
