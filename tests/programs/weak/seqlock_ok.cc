// fails: never
#define FENCE(order) std::atomic_thread_fence(order)
#define PUBLISH std::memory_order_release
#define SUBSCRIBE std::memory_order_acquire
#include "seqlock.h"

// SPDX-License-Identifier: Apache-2.0
