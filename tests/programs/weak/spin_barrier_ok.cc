// fails: never
#define ARRIVE std::memory_order_acq_rel
#include "spin_barrier.h"

// SPDX-License-Identifier: Apache-2.0
