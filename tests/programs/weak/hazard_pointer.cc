// fails: abort (weak memory)
// No fence between the announcement and the second look.
#define FENCE() (void)0
#include "hazard_pointer.h"

// SPDX-License-Identifier: Apache-2.0
