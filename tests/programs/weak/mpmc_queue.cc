// fails: abort (weak memory)
// A cell is published with a relaxed store.
#define PUBLISH std::memory_order_relaxed
#include "mpmc_queue.h"

// SPDX-License-Identifier: Apache-2.0
