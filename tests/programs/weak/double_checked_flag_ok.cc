// fails: never
#define SET std::memory_order_release
#define LOOK std::memory_order_acquire
#include "double_checked_flag.h"

// SPDX-License-Identifier: Apache-2.0
