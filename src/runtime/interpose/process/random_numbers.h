// SPDX-License-Identifier: Apache-2.0
// Random numbers that do not come from a function: what the kernel gives a process at its start,
// and /dev/urandom. See random.cc.
#pragma once

#include <cstddef>

namespace jostle::rt {

// The sixteen bytes that the kernel hands over (AT_RANDOM) are the same in every process from now
// on.
void fix_kernel_random();

void note_random_descriptor(int fd);
bool is_random_descriptor(int fd);
void random_closed(int fd);
void fill_with_random(void* buffer, size_t size);

// A file of random numbers, for streams: libc reads them by itself. -1: there is no descriptor.
int open_random_file();
// A stream is about to read so much: it is there.
void keep_random_ahead(int fd, size_t wanted);

}  // namespace jostle::rt
