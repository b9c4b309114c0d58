// SPDX-License-Identifier: Apache-2.0
// Which calls of the functions that are to look atomic (`--atomic`) threads are in. Kept only by
// the process whose runs change threads only outside of them.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"

namespace jostle::rt {

// From now on the entries of functions are looked at. What the channel says of them is copied.
void watch_atomic_calls(const channel::Channel& channel);
void begin_atomic_calls();

// The number of the thread's call, from 1; 0: it is in none.
uint32_t atomic_call_of(ThreadId id);

}  // namespace jostle::rt
