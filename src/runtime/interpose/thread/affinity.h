// SPDX-License-Identifier: Apache-2.0
// On which processors a thread may run. All threads share one of the kernel's: each has what the
// program set for it, or for the thread that created it.
#pragma once

#include <sched.h>

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// 0, or the error of pthread_setaffinity_np: the kernel says whether there is such a processor.
int check_affinity(size_t size, const cpu_set_t* set);
int set_affinity(Thread& thread, size_t size, const cpu_set_t* set);

}  // namespace jostle::rt
