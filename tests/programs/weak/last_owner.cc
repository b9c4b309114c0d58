// fails: abort (weak memory)
// References are dropped relaxed.
#define DROP std::memory_order_relaxed
#include "last_owner.h"

// SPDX-License-Identifier: Apache-2.0
