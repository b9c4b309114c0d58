// SPDX-License-Identifier: Apache-2.0
// Policies, priorities and niceness of threads: kept and given back, never given to the kernel,
// which would apply them to the one thread that runs everything. Who runs is the strategy's
// business.
#pragma once

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// What a new thread shall have. 0 or an error number, as for the caller by the kernel.
int check_scheduling(const Thread& thread, int policy, int priority);

}  // namespace jostle::rt
