// fails: abort (weak memory)
// The head is stored relaxed: its slot may not be there yet.
#define PUBLISH std::memory_order_relaxed
#include "spsc_ring.h"

// SPDX-License-Identifier: Apache-2.0
