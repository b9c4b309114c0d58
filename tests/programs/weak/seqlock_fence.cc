// SPDX-License-Identifier: Apache-2.0
// fails: abort (weak memory)
// The second look may come before what was to be read between the two.
#define FENCE
#include "seqlock_fence.h"
