// SPDX-License-Identifier: Apache-2.0
// Zeros below the stack pointer, aarch64.
#if defined(__aarch64__)
        .text
        .globl  jostle_clean_stack
        .hidden jostle_clean_stack
        .type   jostle_clean_stack, %function
        .align  4
jostle_clean_stack:             // (x0 = result, x1 = size)
        .cfi_startproc
        hint    #34             // bti c
        mov     x2, sp
        sub     x1, x2, x1
1:      cmp     x1, x2
        b.hs    2f
        stp     xzr, xzr, [x1], #16
        b       1b
2:      ret
        .cfi_endproc
        .size   jostle_clean_stack, .-jostle_clean_stack
#endif
        .section .note.GNU-stack, "", @progbits
