// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/thread_state.h"

#include <unwind.h>

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/runtime/modules/frame_walk.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/fairness/polling.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

// Registers that survive a call, by their numbers in DWARF: those for floating-point numbers, too,
// in which compilers also keep others. All others are dead at the call of a hook, or on the stack.
#if defined(__aarch64__)
constexpr int kSavedRegisters[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                                   29, 72, 73, 74, 75, 76, 77, 78, 79};
#else
constexpr int kSavedRegisters[] = {3, 6, 12, 13, 14, 15};
#endif

// Loops change the frames next to them; what lies further out is changed through pointers, which
// are seen as writes.
constexpr uintptr_t kMostStack = 32 << 10;

struct Capture {
  const ReadTimes* times;
  uint64_t hash = 0;
  uintptr_t stack_pointer = 0;
};

uint64_t rest(uint64_t word, const ReadTimes* times) { return times ? times->rest(word) : word; }

// Stops at the innermost frame that is not ours.
[[gnu::noinline]] bool look_at_known_frames(const Thread& thread, Capture& capture) {
  return walk_frames(thread.stack_begin, thread.stack_end, [&](const Frame& frame) {
    if (frame.pc == 0) return false;
    if (is_own_code(frame.pc)) return true;
    capture.hash = combine(3, frame.pc);
    for (const int number : kSavedRegisters) {
      const uint64_t value = frame.registers[frame_register(number)];
      capture.hash = combine(capture.hash, rest(value, capture.times));
    }
    capture.stack_pointer = frame.stack_pointer();
    return false;
  });
}

// The same by libgcc's unwinder.
_Unwind_Reason_Code look_at(_Unwind_Context* context, void* argument) {
  auto& capture = *static_cast<Capture*>(argument);
  const uintptr_t pc = _Unwind_GetIP(context);
  if (pc == 0) return _URC_END_OF_STACK;
  if (is_own_code(pc)) return _URC_NO_REASON;
  capture.hash = combine(3, pc);
  for (const int number : kSavedRegisters) {
    const uint64_t value = _Unwind_GetGR(context, number);
    capture.hash = combine(capture.hash, rest(value, capture.times));
  }
  capture.stack_pointer = _Unwind_GetCFA(context);
  return _URC_END_OF_STACK;
}

void look_by_unwinder(Capture& capture) {
  // The unwinder may call hooked functions: they must not schedule.
  Thread* current = g_current;
  g_current = nullptr;
  _Unwind_Backtrace(look_at, &capture);
  g_current = current;
}

[[maybe_unused]] void check_state(const Capture& found, bool is_known) {
  Capture other = {.times = found.times};
  if (is_known) look_by_unwinder(other);
  JOSTLE_CHECK(!is_known ||
               (other.hash == found.hash && other.stack_pointer == found.stack_pointer));
}

}  // namespace

uint64_t own_state(const Thread& thread, const ReadTimes* times, uintptr_t* frame) {
  Capture capture = {.times = times};
  const bool is_known = look_at_known_frames(thread, capture);
  if (!is_known) look_by_unwinder(capture);
  JOSTLE_CHECKED(check_state(capture, is_known));
  const uintptr_t sp = capture.stack_pointer;
  if (sp < thread.stack_begin || sp >= thread.stack_end) return 0;
  if (frame) *frame = sp;
  uint64_t hash = combine(capture.hash, sp);
  const uintptr_t end = thread.stack_end - sp > kMostStack ? sp + kMostStack : thread.stack_end;
  for (uintptr_t p = sp & ~uintptr_t{7}; p + 8 <= end; p += 8) {
    hash = combine(hash, rest(*reinterpret_cast<const uint64_t*>(p), times));
  }
  return hash ? hash : 1;
}

size_t stack_to_clean(size_t most) {
  constexpr uintptr_t kOurs = 256;  // this frame, and our caller's if it still has one
  const Thread& thread = *g_current;
  const auto sp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (sp < thread.stack_begin + kOurs || sp >= thread.stack_end) return 0;
  const uintptr_t room = sp - thread.stack_begin - kOurs;
  return room < most ? room & ~uintptr_t{15} : most;
}

uint64_t stack_near(const Thread& thread, uintptr_t frame) {
  constexpr uintptr_t kNear = 256;
  if (frame < thread.stack_begin || frame >= thread.stack_end) return 0;
  const uintptr_t end = thread.stack_end - frame > kNear ? frame + kNear : thread.stack_end;
  uint64_t hash = 0;
  for (uintptr_t p = frame & ~uintptr_t{7}; p + 8 <= end; p += 8) {
    hash = hash * 0x9E3779B97F4A7C15 + *reinterpret_cast<const uint64_t*>(p);
  }
  return hash;
}

}  // namespace jostle::rt
