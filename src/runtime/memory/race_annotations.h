// SPDX-License-Identifier: Apache-2.0
// What the program says about its own races: <sanitizer/tsan_interface.h> and the dynamic
// annotations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

// Bits of Thread::ignored_accesses, counted: the program brackets code whose accesses are its own
// business.
inline constexpr uint64_t kOneIgnoredRead = 1, kOneIgnoredWrite = 1 << 16;
inline constexpr uint64_t kIgnoresReads = 0xFFFF, kIgnoresWrites = 0xFFFF'0000;
// Not ignored, but one look at the same word finds it: its access at Thread::volatile_pc counts as
// a relaxed atomic one.
inline constexpr uint64_t kAtVolatile = uint64_t{1} << 32;

// Races on this memory are intended.
void note_benign(uintptr_t begin, size_t size);
bool is_benign(uintptr_t address);

}  // namespace jostle::rt
