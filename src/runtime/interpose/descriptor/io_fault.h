// SPDX-License-Identifier: Apache-2.0
// `--io-faults`: transfers that move less than asked for, or nothing yet (EAGAIN).
//
// Only what the interface allows: streams (pipes and stream sockets) only; short reads anywhere;
// short writes and EAGAIN only where the descriptor is non-blocking; a write of PIPE_BUF bytes or
// fewer to a pipe stays in one piece. An edge-triggered epoll set reports again after an EAGAIN
// that was ours, and no descriptor has more than a few faults in a row.
#pragma once

#include <cstddef>

#include "src/runtime/interpose/descriptor/descriptor_table.h"

namespace jostle::rt {

// At the start of a run. A replay has faults if its recording had.
void begin_io_faults(bool wanted);

// How many of `size` bytes a transfer may move. 0: none, the call fails with EAGAIN (errno is set).
size_t bytes_allowed(const Descriptor& descriptor, size_t size, bool writes);

}  // namespace jostle::rt
