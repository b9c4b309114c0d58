// SPDX-License-Identifier: Apache-2.0
// fails: abort (weak memory)
// Nothing orders what each auditor reads with what the other one has read.
#define FENCE
#include "agreed_order.h"
