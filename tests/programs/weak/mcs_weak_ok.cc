// fails: never
#define HAND_OVER std::memory_order_release
#include "mcs_weak.h"

// SPDX-License-Identifier: Apache-2.0
