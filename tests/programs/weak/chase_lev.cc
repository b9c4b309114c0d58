// fails: abort (weak memory)
// The owner may miss what the thief has taken: no fence in take().
#define FENCE_IN_TAKE() (void)0
#include "chase_lev.h"

// SPDX-License-Identifier: Apache-2.0
