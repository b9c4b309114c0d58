// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/processor_counter.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <errno.h>

#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/modules/patched_code.h"

// Entered as `jostle_enter_system_call` is (modules/system_call_sites.cc), and like it keeps all
// registers but those in which the counter is: of the vector registers all of their bits, because
// compilers know that this instruction leaves them alone. 0xe7 are the parts of the processor's
// state that compiled code uses, which take 2688 bytes; 512 of these are followed by a header of 64
// that has to be zero.
asm(R"(
        .text
        .type   jostle_enter_counter, @function
jostle_enter_counter:
        .cfi_startproc
        .cfi_def_cfa %rsp, 136
        .cfi_offset %rip, -136
        pushfq
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_offset %rbp, -152
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rbx
        .cfi_offset %rbx, -160
        pushq   %rcx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        subq    $2688, %rsp
        andq    $-64, %rsp
        xorl    %eax, %eax
        leaq    512(%rsp), %rdi
        movl    $8, %ecx
        cld
        rep stosq
        movl    $0xe7, %eax
        xorl    %edx, %edx
        xsave64 (%rsp)
        movq    16(%rbp), %rdi
        call    jostle_read_counter
        movq    %rax, %rbx
        movl    $0xe7, %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        movl    %ebx, %eax
        movq    %rbx, %rdx
        shrq    $32, %rdx
        leaq    -64(%rbp), %rsp
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rcx
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa %rsp, 144
        popfq
        .cfi_adjust_cfa_offset -8
        ret     $128
        .cfi_endproc
        .size   jostle_enter_counter, .-jostle_enter_counter
)");
extern "C" JOSTLE_HIDDEN void jostle_enter_counter();

using namespace jostle;
using namespace jostle::rt;

extern "C" JOSTLE_HIDDEN __attribute__((used)) uint64_t jostle_read_counter(uintptr_t pc) {
  const Nanoseconds start = clock_start(CLOCK_MONOTONIC);
  if (!controlled()) {
    // Before main there is no virtual time: it counts who asks.
    static Nanoseconds asked = 0;
    asked += 1000;
    return static_cast<uint64_t>(start / 2 + asked);
  }
  const int saved = errno;
  g_scheduler.reach(operation(OpKind::clock, nullptr, pc));
  const Nanoseconds time = start + g_scheduler.read_clock();
  g_scheduler.told_time(time);
  errno = saved;
  return static_cast<uint64_t>(time);
}

namespace jostle::rt {

bool can_read_counter() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

void go_on_with_counter(ucontext_t& context, uintptr_t next) {
  enter_from_handler(context, jostle_enter_counter, next);
}

}  // namespace jostle::rt

#endif
