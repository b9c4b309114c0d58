// SPDX-License-Identifier: Apache-2.0
// Policies, priorities and niceness of threads: kept and given back, never given to the kernel,
// which would apply them to the one thread that runs everything. Who runs is the strategy's
// business.
#pragma once

#include <sys/types.h>

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// What a new thread shall have. 0 or an error number, as for the caller by the kernel.
int check_scheduling(const Thread& thread, int policy, int priority);

// sched_setattr and sched_getattr, which libc has no functions for; `attributes` as the kernel has
// them. Of a thread that is not ours it is the kernel's answer.
long set_scheduling_attributes(pid_t id, const void* attributes, unsigned flags);
long get_scheduling_attributes(pid_t id, void* attributes, unsigned size, unsigned flags);

}  // namespace jostle::rt
