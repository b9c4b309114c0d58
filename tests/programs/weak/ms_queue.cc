// fails: abort (weak memory)
// A node is linked with a relaxed compare-exchange.
#define LINK std::memory_order_relaxed
#include "ms_queue.h"

// SPDX-License-Identifier: Apache-2.0
