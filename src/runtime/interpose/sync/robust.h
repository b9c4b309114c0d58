// SPDX-License-Identifier: Apache-2.0
// Robust mutexes of a thread that ends while it holds them.
#pragma once

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

void release_robust_mutexes_of(Thread& thread);

}  // namespace jostle::rt
