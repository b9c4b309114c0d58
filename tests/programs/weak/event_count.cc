// SPDX-License-Identifier: Apache-2.0
// fails: deadlock (weak memory)
// Acquire and release do not order a store and a load behind it.
#define WAITER std::memory_order_acq_rel
#define NOTIFIER std::memory_order_acq_rel
#include "event_count.h"
