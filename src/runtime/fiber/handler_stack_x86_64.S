// SPDX-License-Identifier: Apache-2.0
// Signal handlers on other stacks, x86-64.
#if defined(__x86_64__)
        .text
// Calls function(signal, info, context) on the stack that ends at `top`.
        .globl  jostle_call_on_stack
        .hidden jostle_call_on_stack
        .type   jostle_call_on_stack, @function
        .align  16
jostle_call_on_stack:           // (rdi = top, rsi = function, edx = signal, rcx = info, r8 = context)
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        movq    %rdi, %rsp
        movq    %rsi, %rax
        movl    %edx, %edi
        movq    %rcx, %rsi
        movq    %r8, %rdx
        callq   *%rax
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc
        .size   jostle_call_on_stack, .-jostle_call_on_stack

// Where a handler returns to from a frame that signal_frame.cc made: the kernel puts everything back.
// Without unwind information, and in just these bytes, unwinders and debuggers know it for what it
// is. They look one byte earlier: that must not be a function's either.
        .align  16
        nop
        .globl  jostle_sigreturn
        .hidden jostle_sigreturn
        .type   jostle_sigreturn, @function
jostle_sigreturn:
        .byte   0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00        // movq $SYS_rt_sigreturn, %rax
        syscall
        .size   jostle_sigreturn, .-jostle_sigreturn
#endif
        .section .note.GNU-stack, "", @progbits
