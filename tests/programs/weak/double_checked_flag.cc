// fails: abort (weak memory)
// The flag is relaxed.
#define SET std::memory_order_relaxed
#define LOOK std::memory_order_relaxed
#include "double_checked_flag.h"

// SPDX-License-Identifier: Apache-2.0
