// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/backtrace.h"

#include <unwind.h>

#include <algorithm>
#include <iterator>

#include "src/base/check.h"
#include "src/runtime/modules/frame_walk.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

class Capture {
 public:
  Capture(channel::Stack& stack, uintptr_t from) : stack_(stack), from_(from) { restart(); }

  void restart() {
    stack_.depth = 0;
    stack_.innermost = 0;
    stack_.not_adjacent = 0;
    ends_here_ = false;
  }

  // `begin`: where the stack ended in it. `interrupted`: by a signal, in front of the instruction
  // at `pc`; otherwise it is in the call before that. False: it was the last.
  bool add(uintptr_t pc, uintptr_t begin, bool interrupted) {
    const bool is_adjacent = ends_here_;
    if (is_adjacent) {
      stack_.frame[stack_.depth - 1] = begin;
      if (stack_.depth == 1) stack_.innermost = static_cast<uint32_t>(begin - begin_);
    }
    ends_here_ = false;
    if (pc == 0) return false;
    if (pc == from_) {
      restart();  // what came before are signal frames
    } else if (interrupted && !is_own_code(pc)) {
      ++pc;  // others are return addresses: what is meant is the instruction before them
    }
    if (is_own_code(pc)) return true;
    if (stack_.depth == channel::kMaxStack) return false;
    if (stack_.depth == 0) {
      begin_ = begin;
    } else if (!is_adjacent) {
      stack_.not_adjacent |= uint64_t{1} << stack_.depth;
    }
    stack_.pc[stack_.depth] = pc;
    stack_.frame[stack_.depth++] = 0;
    ends_here_ = true;
    return true;
  }

 private:
  channel::Stack& stack_;
  uintptr_t from_;
  bool ends_here_ = false;  // the frame that was added last
  uintptr_t begin_ = 0;     // of the innermost frame
};

bool add_known_frames(const Thread& thread, Capture& capture) {
  return walk_frames(thread.stack_begin, thread.stack_end, [&](const Frame& frame) {
    return capture.add(frame.pc, frame.stack_pointer(), false);
  });
}

// Where a thread that does not run was left.
Frame frame_left_in(const Thread& thread) {
  const auto& saved = *static_cast<const SavedRegisters*>(thread.context.sp);
  const auto value = [](void* word) { return reinterpret_cast<uintptr_t>(word); };
  Frame frame = {};
#if defined(__aarch64__)
  for (int i = 0; i < 12; ++i) frame.registers[i] = value(saved.x19_to_x30[i]);
  for (int i = 0; i < 8; ++i) frame.registers[kStackPointer + 1 + i] = value(saved.d8_to_d15[i]);
  frame.pc = frame.registers[kReturnAddress];
#else
  const uintptr_t registers[] = {value(saved.rbx), value(saved.rbp), 0,
                                 value(saved.r12), value(saved.r13), value(saved.r14),
                                 value(saved.r15)};
  std::copy(std::begin(registers), std::end(registers), frame.registers);
  frame.pc = value(saved.return_address);
#endif
  frame.registers[kStackPointer] = reinterpret_cast<uintptr_t>(&saved + 1);
  return frame;
}

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* capture) {
  int interrupted = 0;
  const uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
  // What the unwinder calls the frame's address is where the one before it ends.
  const uintptr_t begin = _Unwind_GetCFA(context);
  return static_cast<Capture*>(capture)->add(pc, begin, interrupted) ? _URC_NO_REASON
                                                                     : _URC_END_OF_STACK;
}

void add_by_unwinder(Capture& capture) {
  // The unwinder may call hooked functions (pthread_once, memset): they must not schedule.
  Thread* current = g_current;
  g_current = nullptr;
  _Unwind_Backtrace(add_frame, &capture);
  g_current = current;
}

[[maybe_unused]] void check_stack(const channel::Stack& found, uintptr_t from) {
  static channel::Stack other;
  Capture capture(other, from);
  add_by_unwinder(capture);
  JOSTLE_CHECK_EQ(other.depth, found.depth);
  JOSTLE_CHECK_EQ(other.not_adjacent, found.not_adjacent);
  for (uint32_t i = 0; i < found.depth; ++i) {
    JOSTLE_CHECK_EQ(other.pc[i], found.pc[i]);
    // LLVM's unwinder, which programs with libc++ have, does not say where the outermost one ends.
    const bool is_not_known = i + 1 == found.depth && other.frame[i] == 0;
    JOSTLE_CHECK(is_not_known || other.frame[i] == found.frame[i]);
    JOSTLE_CHECK(i != 0 || is_not_known || other.innermost == found.innermost);
  }
}

}  // namespace

void init_backtrace() {
  channel::Stack unused;
  capture_own_stack(unused, 0);
}

void capture_own_stack(channel::Stack& stack, uintptr_t from) {
  Capture capture(stack, from);
  if (g_current && add_known_frames(*g_current, capture)) {
    JOSTLE_CHECKED(check_stack(stack, from));
  } else {
    capture.restart();
    add_by_unwinder(capture);
  }
  if (stack.depth == 0 && from) {
    stack.depth = 1;
    stack.pc[0] = from;
    stack.frame[0] = 0;
  }
}

bool capture_stack_of(const Thread& thread, channel::Stack& stack) {
  Capture capture(stack, 0);
  const auto begin = reinterpret_cast<uintptr_t>(thread.context.sp);
  if (begin < thread.stack_begin || begin + sizeof(SavedRegisters) > thread.stack_end) return false;
  Frame frame = frame_left_in(thread);
  return walk_frames_from(frame, thread.stack_begin, thread.stack_end, [&](const Frame& each) {
    return capture.add(each.pc, each.stack_pointer(), false);
  });
}

uintptr_t place_in_program(uintptr_t pc) {
  if (!g_current || is_instrumented_code(pc) || !is_cxx_library(pc)) return pc;
  uintptr_t place = pc;
  walk_frames(g_current->stack_begin, g_current->stack_end, [&](const Frame& frame) {
    if (!is_instrumented_code(frame.pc)) return frame.pc != 0;
    place = frame.pc;
    return false;
  });
  return place;
}

}  // namespace jostle::rt
