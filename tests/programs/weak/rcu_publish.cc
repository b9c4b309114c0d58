// fails: abort (weak memory)
// Published with a relaxed store.
#define PUBLISH std::memory_order_relaxed
#include "rcu_publish.h"

// SPDX-License-Identifier: Apache-2.0
