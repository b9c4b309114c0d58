// SPDX-License-Identifier: Apache-2.0
// Limits that the program sets to its own memory: RLIMIT_AS, RLIMIT_DATA.
//
// The kernel does not get it: our reservations of address space are larger than any program. The
// heap, mappings and new stacks heed the limit instead, by what the program would use without us,
// about.
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace jostle::rt {

// setrlimit, getrlimit and prlimit of the own process, for one of these: true, with the result as
// the call has it. Either pointer may be null.
bool memory_limit(int what, const rlimit* wanted, rlimit* old, int& result);

// The program has mapped, or given back, so much.
void note_mapped(long bytes);

// May the program have so much more memory?
bool memory_allows(size_t bytes);

}  // namespace jostle::rt
