// SPDX-License-Identifier: Apache-2.0
// Switching between fibers: the registers that a call preserves, the stack pointer and the thread
// pointer change in one breath, so that thread-local storage always belongs to the running stack.
//
// One assembly file per architecture implements the two functions below.
#pragma once

namespace jostle::rt {

struct Context {
  void* sp = nullptr;  // everything else is saved on the fiber's own stack
  void* tp = nullptr;  // thread pointer: tpidr_el0 on aarch64, FS base on x86-64
};

extern "C" {
// Saves the current registers at *save_sp and goes on where `new_sp` was saved, with the thread
// pointer `new_tp`.
void jostle_switch(void** save_sp, void* new_sp, void* new_tp);
// First code of a fiber: calls entry(argument), which never returns. Not called directly.
void jostle_fiber_start();
}

// What the switch has left on the stack of a fiber that does not run, lowest address first.
struct SavedRegisters {
#if defined(__aarch64__)
  void *x19_to_x30[12], *d8_to_d15[8], *control[2];
#else
  void *control, *r15, *r14, *r13, *r12, *rbx, *rbp, *return_address;
#endif
};

// The thread pointer of the calling kernel thread.
inline void* thread_pointer() { return __builtin_thread_pointer(); }

// Prepares a stack whose first switch calls entry(argument). `top` is the highest address + 1.
void* prepare_stack(void* top, void (*entry)(void*), void* argument);

// Once per process: finds out how the thread pointer is best installed.
void init_switch();

}  // namespace jostle::rt
