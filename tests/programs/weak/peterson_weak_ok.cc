// fails: never
#define STORE std::memory_order_seq_cst
#define LOAD std::memory_order_seq_cst
#include "peterson_weak.h"

// SPDX-License-Identifier: Apache-2.0
