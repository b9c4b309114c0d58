// fails: never
#define PUBLISH std::memory_order_release
#include "rcu_publish.h"

// SPDX-License-Identifier: Apache-2.0
