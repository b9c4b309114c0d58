// SPDX-License-Identifier: Apache-2.0
        .text
        .globl  rotate_left_one
        .type   rotate_left_one, %function
rotate_left_one:
#if defined(__aarch64__)
        ror     w0, w0, #31
#elif defined(__x86_64__)
        movl    %edi, %eax
        roll    $1, %eax
#else
#error "unknown architecture"
#endif
        ret
        .size   rotate_left_one, . - rotate_left_one
        .section .note.GNU-stack, "", %progbits
