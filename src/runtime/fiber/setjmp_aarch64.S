// SPDX-License-Identifier: Apache-2.0
// setjmp and its relatives, aarch64: a word with us first, then libc's own, as if it had been called
// instead: it has to find the caller's stack.
#if defined(__aarch64__)
        .text
        .globl  _setjmp
        .type   _setjmp, %function
        .align  4
_setjmp:                        // (x0 = buffer)
        mov     w1, #0
        b       jostle_sigsetjmp
        .size   _setjmp, .-_setjmp

        .globl  setjmp
        .type   setjmp, %function
        .align  4
setjmp:                         // (x0 = buffer)
        mov     w1, #1
        b       jostle_sigsetjmp
        .size   setjmp, .-setjmp

        .globl  __sigsetjmp
        .type   __sigsetjmp, %function
        .align  4
__sigsetjmp:                    // (x0 = buffer, w1 = saves the mask)
jostle_sigsetjmp:
        .cfi_startproc
        stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        mov     x29, sp
        str     x0, [sp, #16]
        bl      jostle_before_setjmp
        mov     x9, x0
        ldr     x0, [sp, #16]
        ldp     x29, x30, [sp], #32
        .cfi_restore x30
        .cfi_restore x29
        .cfi_def_cfa_offset 0
        br      x9
        .cfi_endproc
        .size   __sigsetjmp, .-__sigsetjmp
#endif
        .section .note.GNU-stack, "", %progbits
