// fails: never
#define UNLOCK std::memory_order_release
#include "rw_lock.h"

// SPDX-License-Identifier: Apache-2.0
