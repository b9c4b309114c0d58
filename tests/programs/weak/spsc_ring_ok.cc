// fails: never
#define PUBLISH std::memory_order_release
#include "spsc_ring.h"

// SPDX-License-Identifier: Apache-2.0
