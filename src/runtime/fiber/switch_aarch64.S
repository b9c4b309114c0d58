// SPDX-License-Identifier: Apache-2.0
// Fiber switch for aarch64 (AAPCS64): x19-x30, d8-d15, FPCR, FPSR, sp and tpidr_el0.
#if defined(__aarch64__)
        .text
        .globl  jostle_switch
        .hidden jostle_switch
        .type   jostle_switch, %function
        .align  4
jostle_switch:
        .cfi_startproc
        sub     sp, sp, #176
        .cfi_def_cfa_offset 176
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        .cfi_offset x29, -96
        .cfi_offset x30, -88
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x10, fpcr
        mrs     x12, fpsr
        stp     x10, x12, [sp, #160]
        mov     x9, sp
        str     x9, [x0]
        mov     sp, x1
        msr     tpidr_el0, x2
        ldp     x11, x13, [sp, #160]
        cmp     x10, x11                // writing them is slow: only when they differ
        b.eq    1f
        msr     fpcr, x11
1:      cmp     x12, x13
        b.eq    2f
        msr     fpsr, x13
2:      ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #176
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   jostle_switch, .-jostle_switch

// x19 = entry, x20 = argument, put there by prepare_stack. No caller: unwinders stop here.
        .globl  jostle_fiber_start
        .hidden jostle_fiber_start
        .type   jostle_fiber_start, %function
        .align  4
jostle_fiber_start:
        .cfi_startproc
        .cfi_undefined x30
        mov     x29, #0
        mov     x0, x20
        blr     x19
        brk     #0
        .cfi_endproc
        .size   jostle_fiber_start, .-jostle_fiber_start
#endif
        .section .note.GNU-stack, "", %progbits
