// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/safe_read.h"

#include "src/base/own_memory.h"

// Byte by byte: what is read is a variable or less.
#if defined(__x86_64__)
asm(R"(
        .text
        .type   jostle_safe_read, @function
jostle_safe_read:               # (rdi = from, rsi = to, rdx = size)
        testq   %rdx, %rdx
        je      2f
1:      movb    (%rdi), %al
        movb    %al, (%rsi)
        incq    %rdi
        incq    %rsi
        decq    %rdx
        jne     1b
2:      movl    $1, %eax
        ret
jostle_safe_touch:              # (rdi = byte)
        lock orb $0, (%rdi)
        movl    $1, %eax
        ret
jostle_safe_read_failed:
        xorl    %eax, %eax
        ret
        .size   jostle_safe_read, .-jostle_safe_read
)");
#elif defined(__aarch64__)
asm(R"(
        .text
        .type   jostle_safe_read, %function
jostle_safe_read:               // (x0 = from, x1 = to, x2 = size)
        cbz     x2, 2f
1:      ldrb    w3, [x0], #1
        strb    w3, [x1], #1
        subs    x2, x2, #1
        b.ne    1b
2:      mov     w0, #1
        ret
jostle_safe_touch:              // (x0 = byte)
        ldxrb   w3, [x0]
        stxrb   w4, w3, [x0]
        cbnz    w4, jostle_safe_touch
        mov     w0, #1
        ret
jostle_safe_read_failed:
        mov     w0, #0
        ret
        .size   jostle_safe_read, .-jostle_safe_read
)");
#endif

extern "C" {
JOSTLE_HIDDEN int jostle_safe_read(uintptr_t from, void* to, size_t size);
JOSTLE_HIDDEN int jostle_safe_touch(uintptr_t byte);
JOSTLE_HIDDEN void jostle_safe_read_failed();
}

namespace jostle::rt {
namespace {

JOSTLE_KEPT bool g_handled = false;

}  // namespace

void may_read_safely() { g_handled = true; }

bool safe_read(uintptr_t from, void* to, size_t size) {
  return g_handled ? jostle_safe_read(from, to, size) != 0 : read_own_memory(from, to, size);
}

bool is_writable(uintptr_t address) { return !g_handled || jostle_safe_touch(address) != 0; }

uintptr_t after_failed_read(uintptr_t pc) {
  const auto begin = reinterpret_cast<uintptr_t>(jostle_safe_read);
  const auto failed = reinterpret_cast<uintptr_t>(jostle_safe_read_failed);
  return pc >= begin && pc < failed ? failed : 0;
}

}  // namespace jostle::rt
