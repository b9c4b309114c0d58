// SPDX-License-Identifier: Apache-2.0
// Threads that the runtime starts for the program: functions of SIGEV_THREAD.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// Detached, can run at once. Reports name it after the function at `named_after`.
// A stack size of 0: the usual one. Null when there is no memory for it.
Thread* start_own_thread(void* (*start)(void*), void* argument, uintptr_t named_after,
                         size_t stack_size, const sigset_t& signal_mask);

}  // namespace jostle::rt
