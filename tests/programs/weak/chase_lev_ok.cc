// fails: never
#define FENCE_IN_TAKE() std::atomic_thread_fence(std::memory_order_seq_cst)
#include "chase_lev.h"

// SPDX-License-Identifier: Apache-2.0
