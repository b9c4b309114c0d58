// SPDX-License-Identifier: Apache-2.0
// The kernel's thread ids as the program would see them: the main thread's is the process id, the
// others follow in order of creation.
#pragma once

#include <unistd.h>

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

inline pid_t kernel_id_of(const Thread& thread) {
  return getpid() + static_cast<pid_t>(thread.index);
}

}  // namespace jostle::rt
