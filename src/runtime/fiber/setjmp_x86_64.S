// SPDX-License-Identifier: Apache-2.0
// setjmp and its relatives, x86-64: a word with us first, then libc's own, as if it had been called
// instead: it has to find the caller's stack.
#if defined(__x86_64__)
        .text
        .globl  _setjmp
        .type   _setjmp, @function
        .align  16
_setjmp:                        // (rdi = buffer)
        xorl    %esi, %esi
        jmp     jostle_sigsetjmp
        .size   _setjmp, .-_setjmp

        .globl  setjmp
        .type   setjmp, @function
        .align  16
setjmp:                         // (rdi = buffer)
        movl    $1, %esi
        jmp     jostle_sigsetjmp
        .size   setjmp, .-setjmp

        .globl  __sigsetjmp
        .type   __sigsetjmp, @function
        .align  16
__sigsetjmp:
jostle_sigsetjmp:               // (rdi = buffer, esi = saves the mask)
        .cfi_startproc
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        subq    $16, %rsp
        .cfi_adjust_cfa_offset 16
        callq   jostle_before_setjmp
        addq    $16, %rsp
        .cfi_adjust_cfa_offset -16
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        movl    %edx, %esi
        jmp     *%rax
        .cfi_endproc
        .size   __sigsetjmp, .-__sigsetjmp
#endif
        .section .note.GNU-stack, "", @progbits
