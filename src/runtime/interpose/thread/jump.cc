// SPDX-License-Identifier: Apache-2.0
// setjmp and longjmp, also out of signal handlers. The mask of signals that sigsetjmp saves is the
// thread's, which libc does not know; libc saves none, and ours is put where its would be.
#include <setjmp.h>

#include <cstdint>

#include "src/base/hash.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/signal/signal_handler.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {
namespace {

// What marks a mask of ours: libc's own marks in the buffer say that there is none.
uint64_t mark_of(const __jmp_buf_tag* buffer) {
  return combine(0x6a6d706d61736b, reinterpret_cast<uintptr_t>(buffer));
}

// In the room of libc's mask. Buffers of pthread_cleanup_push end behind this much; no mask is ever
// saved in those.
struct SavedMask {
  uint64_t mark;
  uint64_t signals;
};
SavedMask& mask_in(__jmp_buf_tag* buffer) {
  return *reinterpret_cast<SavedMask*>(&buffer->__saved_mask);
}

struct Continuation {
  void* function;
  long saves_mask;
};

// The stack pointer that a jump goes back to. glibc hides it, with a number that is the same for
// all of a process.
#if defined(__x86_64__)
uintptr_t stack_of(const __jmp_buf_tag* target) {
  uintptr_t guard;
  asm("movq %%fs:0x30, %0" : "=r"(guard));
  const auto hidden = static_cast<uintptr_t>(target->__jmpbuf[6]);
  return (hidden >> 17 | hidden << 47) ^ guard;
}
#elif defined(__aarch64__)
__attribute__((noinline)) uintptr_t stack_of(const __jmp_buf_tag* target) {
  constexpr int kStack = 13;
  jmp_buf own;
  uintptr_t sp;
  if (_setjmp(own) != 0) return 0;
  asm volatile("mov %0, sp" : "=r"(sp));
  const auto guard = static_cast<uintptr_t>(own[0].__jmpbuf[kStack]) ^ sp;
  return static_cast<uintptr_t>(target->__jmpbuf[kStack]) ^ guard;
}
#endif

void before_jump(__jmp_buf_tag* target, uintptr_t from) {
  // A buffer from before we were in control.
  if (target->__mask_was_saved) kernel_changes(kChangesMask);
  if (!controlled()) return;
  const sigset_t mask = g_current->signal_mask;
  leave_handlers(from, stack_of(target));
  SavedMask& saved = mask_in(target);
  if (!target->__mask_was_saved && saved.mark == mark_of(target)) {
    change_mask(set_of(saved.signals));
  } else if (!target->__mask_was_saved) {
    g_current->signal_mask = mask;  // as the handler had it
  }
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

// Called by our setjmp (fiber/setjmp_*.S), which then goes on with what this returns.
extern "C" __attribute__((visibility("hidden"))) Continuation jostle_before_setjmp(
    __jmp_buf_tag* buffer, int saves_mask) {
  const Continuation real = {reinterpret_cast<void*>(&REAL(__sigsetjmp)), saves_mask};
  if (!controlled()) return real;
  SavedMask& saved = mask_in(buffer);
  if (!saves_mask) {
    if (saved.mark == mark_of(buffer)) saved.mark = 0;
    return real;
  }
  saved = {mark_of(buffer), signal_bits(g_current->signal_mask)};
  return {real.function, 0};
}

#define HERE() reinterpret_cast<uintptr_t>(__builtin_frame_address(0))

extern "C" [[noreturn]] void __longjmp_chk(__jmp_buf_tag* target, int value) noexcept;

JOSTLE_HOOK void siglongjmp(__jmp_buf_tag* target, int value) noexcept {
  before_jump(target, HERE());
  REAL(siglongjmp)(target, value);
  __builtin_unreachable();
}
JOSTLE_ALIAS(longjmp, siglongjmp);
JOSTLE_ALIAS(_longjmp, siglongjmp);

// libc's own asks the kernel whether a jump comes from an alternate stack: that knows ours only.
JOSTLE_HOOK void __longjmp_chk(__jmp_buf_tag* target, int value) noexcept {
  before_jump(target, HERE());
  if (controlled()) REAL(siglongjmp)(target, value);
  REAL(__longjmp_chk)(target, value);
  __builtin_unreachable();
}
