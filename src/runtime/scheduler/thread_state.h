// SPDX-License-Identifier: Apache-2.0
// All that the running thread's further way depends on, as far as it is its own: where it is in the
// program, its registers and its stack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

class ReadTimes;
struct Thread;

// A hash of it at the call of the hook that we are in; 0: it is not known (the program switched
// stacks by itself, or frames without unwind tables). Slow: a microsecond or two.
// With `times` only what words leave counts: polling.h.
// `frame`: where the stack of the program ends there.
uint64_t own_state(const Thread& thread, const ReadTimes* times = nullptr,
                   uintptr_t* frame = nullptr);

// So many bytes below what the program has of the running thread's stack may be overwritten
// (fiber/clean_stack.h): about what hooks use.
size_t stack_to_clean(size_t most = 4096);

// A hash of some words of the stack from there on. Fast.
uint64_t stack_near(const Thread& thread, uintptr_t frame);

}  // namespace jostle::rt
