// fails: abort (weak memory)
// The reader has a fence, but of the other kind.
#define FENCE std::atomic_thread_fence(std::memory_order_release)
#include "seqlock_fence.h"

// SPDX-License-Identifier: Apache-2.0
