// SPDX-License-Identifier: Apache-2.0
// Files (and memory of System V) that the program has mapped, to share it: of what lies at two
// addresses nobody sees that it is the same.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace jostle::rt {

// It was mapped at `address`. True: some of it lies at another address as well, and one of the two
// can be written.
bool maps_again(uintptr_t address, size_t size, int protection, int fd, off_t offset);
bool attaches_again(uintptr_t address, size_t size, int segment);

void note_unmapped(uintptr_t address, size_t size);

}  // namespace jostle::rt
