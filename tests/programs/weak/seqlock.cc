// fails: abort (weak memory)
// Relaxed data without fences.
#define FENCE(order) (void)0
#define PUBLISH std::memory_order_relaxed
#define SUBSCRIBE std::memory_order_relaxed
#include "seqlock.h"

// SPDX-License-Identifier: Apache-2.0
