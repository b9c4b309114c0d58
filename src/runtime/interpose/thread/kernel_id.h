// SPDX-License-Identifier: Apache-2.0
// The kernel's thread ids as the program would see them: the main thread's is the process id, the
// others follow in order of creation. In a child the thread that has forked is the main one.
#pragma once

#include <sys/types.h>

#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// The index of the thread whose id is that of the process.
extern uint32_t g_first_thread;

inline pid_t kernel_id_of(const Thread& thread) {
  return seen_process_id() + static_cast<pid_t>(thread.index - g_first_thread);
}

}  // namespace jostle::rt
