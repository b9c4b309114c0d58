// fails: abort (weak memory)
// One of the two has no fence between its flag and the look at the other.
#define FIRST_FENCE() (void)0
#include "dekker.h"

// SPDX-License-Identifier: Apache-2.0
