// fails: abort (weak memory)
// The writer's unlock is relaxed.
#define UNLOCK std::memory_order_relaxed
#include "rw_lock.h"

// SPDX-License-Identifier: Apache-2.0
