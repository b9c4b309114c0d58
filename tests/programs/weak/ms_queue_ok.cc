// fails: never
#define LINK std::memory_order_release
#include "ms_queue.h"

// SPDX-License-Identifier: Apache-2.0
