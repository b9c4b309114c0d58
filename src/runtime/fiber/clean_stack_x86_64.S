// SPDX-License-Identifier: Apache-2.0
// Zeros below the stack pointer, x86-64.
#if defined(__x86_64__)
        .text
        .globl  jostle_clean_stack
        .hidden jostle_clean_stack
        .type   jostle_clean_stack, @function
        .align  16
jostle_clean_stack:             // (rdi = result, rsi = size)
        .cfi_startproc
        movq    %rdi, %rdx
        movq    %rsp, %rdi
        subq    %rsi, %rdi
        movq    %rsi, %rcx
        shrq    $3, %rcx
        xorl    %eax, %eax
        rep stosq
        movq    %rdx, %rax
        ret
        .cfi_endproc
        .size   jostle_clean_stack, .-jostle_clean_stack
#endif
        .section .note.GNU-stack, "", @progbits
