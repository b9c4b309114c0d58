// SPDX-License-Identifier: Apache-2.0
// fails: never
#define FENCE std::atomic_thread_fence(std::memory_order_acquire)
#include "seqlock_fence.h"
