// fails: abort (weak memory)
// Those who arrive do it relaxed.
#define ARRIVE std::memory_order_relaxed
#include "spin_barrier.h"

// SPDX-License-Identifier: Apache-2.0
