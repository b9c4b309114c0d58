// SPDX-License-Identifier: Apache-2.0
// Signal handlers on other stacks, aarch64.
#if defined(__aarch64__)
        .text
// Calls function(signal, info, context) on the stack that ends at `top`.
        .globl  jostle_call_on_stack
        .hidden jostle_call_on_stack
        .type   jostle_call_on_stack, %function
        .align  4
jostle_call_on_stack:           // (x0 = top, x1 = function, w2 = signal, x3 = info, x4 = context)
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        mov     sp, x0
        mov     x9, x1
        mov     w0, w2
        mov     x1, x3
        mov     x2, x4
        blr     x9
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   jostle_call_on_stack, .-jostle_call_on_stack

// Where a handler returns to from a frame that signal_frame.cc made: the kernel puts everything back.
// Without unwind information, and in just these instructions, unwinders and debuggers know it for
// what it is. They look one byte earlier: that must not be a function's either.
        .align  4
        nop
        .globl  jostle_sigreturn
        .hidden jostle_sigreturn
        .type   jostle_sigreturn, %function
jostle_sigreturn:
        mov     x8, #139
        svc     #0
        .size   jostle_sigreturn, .-jostle_sigreturn
#endif
        .section .note.GNU-stack, "", %progbits
