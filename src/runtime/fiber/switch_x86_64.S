// SPDX-License-Identifier: Apache-2.0
// Fiber switch for x86-64 (System V): rbx, rbp, r12-r15, x87 control and
// status word, MXCSR, rsp and FS base.
#if defined(__x86_64__)
        .text
        .globl  jostle_switch
        .hidden jostle_switch
        .type   jostle_switch, @function
        .align  16
jostle_switch:                          // (rdi = save_sp, rsi = new_sp, rdx = new_tp)
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        fnstsw  6(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        cmpb    $0, jostle_has_fsgsbase(%rip)
        je      1f
        wrfsbase %rdx
        jmp     2f
1:      movl    $158, %eax              // arch_prctl(ARCH_SET_FS, new_tp)
        movl    $0x1002, %edi
        movq    %rdx, %rsi
        syscall
2:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        fnstsw  %ax                     // exceptions that x87 has raised: rarely different
        xorb    6(%rsp), %al
        testb   $0x3f, %al
        jne     4f
3:      addq    $8, %rsp
        .cfi_remember_state
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa rsp, 8
        ret
        .cfi_restore_state
4:      subq    $32, %rsp               // its environment: the status word is at 4
        fnstenv (%rsp)
        movb    38(%rsp), %al
        andb    $0x3f, %al
        andb    $0xc0, 4(%rsp)
        orb     %al, 4(%rsp)
        fldenv  (%rsp)
        addq    $32, %rsp
        jmp     3b
        .cfi_endproc
        .size   jostle_switch, .-jostle_switch

// rbx = entry, r12 = argument, put there by prepare_stack. No caller: unwinders stop here.
        .globl  jostle_fiber_start
        .hidden jostle_fiber_start
        .type   jostle_fiber_start, @function
        .align  16
jostle_fiber_start:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        movq    %r12, %rdi
        callq   *%rbx
        ud2
        .cfi_endproc
        .size   jostle_fiber_start, .-jostle_fiber_start
#endif
        .section .note.GNU-stack, "", @progbits
