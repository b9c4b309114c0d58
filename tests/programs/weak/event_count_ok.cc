// SPDX-License-Identifier: Apache-2.0
// fails: never
#define WAITER std::memory_order_seq_cst
#define NOTIFIER std::memory_order_seq_cst
#include "event_count.h"
