// What the program says about its own races: <sanitizer/tsan_interface.h> and the dynamic
// annotations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

// Bits of Thread::ignored_accesses, counted: the program brackets code whose accesses are its own
// business.
inline constexpr uint32_t kOneIgnoredRead = 1, kOneIgnoredWrite = 1 << 16;
inline constexpr uint32_t kIgnoresReads = 0xFFFF, kIgnoresWrites = 0xFFFF'0000;

// Races on this memory are intended.
void note_benign(uintptr_t begin, size_t size);
bool is_benign(uintptr_t address);

}  // namespace jostle::rt
