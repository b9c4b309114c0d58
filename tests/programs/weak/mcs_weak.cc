// fails: abort (weak memory)
// The lock is handed over with a relaxed store.
#define HAND_OVER std::memory_order_relaxed
#include "mcs_weak.h"

// SPDX-License-Identifier: Apache-2.0
