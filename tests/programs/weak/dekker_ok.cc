// fails: never
#define FIRST_FENCE() std::atomic_thread_fence(std::memory_order_seq_cst)
#include "dekker.h"

// SPDX-License-Identifier: Apache-2.0
