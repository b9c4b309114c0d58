// fails: never
#define PUBLISH std::memory_order_release
#include "mpmc_queue.h"

// SPDX-License-Identifier: Apache-2.0
