// fails: abort (weak memory)
// Acquire and release are not enough: each may miss the other.
#define STORE std::memory_order_release
#define LOAD std::memory_order_acquire
#include "peterson_weak.h"

// SPDX-License-Identifier: Apache-2.0
