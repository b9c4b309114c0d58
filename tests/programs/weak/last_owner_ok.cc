// fails: never
#define DROP std::memory_order_acq_rel
#include "last_owner.h"

// SPDX-License-Identifier: Apache-2.0
