// SPDX-License-Identifier: Apache-2.0
// Stacks for fibers, each with a guard page below it, from one reserved stretch of address space at
// a fixed place: addresses repeat from run to run, and "is this somebody's stack" is a range check.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

struct FiberStack {
  char* base = nullptr;  // lowest usable address, above the guard
  size_t size = 0;
  size_t guard = 0;
  bool owned = false;  // false: the program gave it (pthread_attr_setstack)
  uint32_t place = 0;  // among those that are owned
};

// A stack of at least `size` bytes; base is null when there is no memory.
FiberStack acquire_stack(size_t size, size_t guard);
void release_stack(const FiberStack& stack);
bool in_fiber_stacks(uintptr_t address);
// Who has an owned stack, as a number of the caller's, noted last; UINT32_MAX: not known.
void note_stack_user(const FiberStack& stack, uint32_t user);
uint32_t stack_user_at(uintptr_t address);

// For the snapshot: all stacks that are in use or free now stay so at the start of every run, and
// those that a run takes are handed back, zeroed as far as it used them.
void keep_stacks_as_start();
void rewind_stacks();
// The whole reservation; empty while there is none.
void stack_reservation(uintptr_t& begin, uintptr_t& end);

// Zeroes what has been used of a stack below `top`: until a stretch that nobody has touched.
void clear_used_stack(char* lowest, char* top);

}  // namespace jostle::rt
