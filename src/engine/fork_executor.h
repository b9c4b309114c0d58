// SPDX-License-Identifier: Apache-2.0
// The fork executor: every run is a child of the target, made just before main().
#pragma once

#include "src/schedule/run_record.h"

namespace jostle::engine {

struct ForkResult {
  bool started;
  bool in_child;
  int wait_status;  // in the parent, of the finished child
};

// Forks a process that dies with this one and of which the program, should it wait for its
// children, hears nothing. 0 in the child, negative when there is none.
int fork_aside();

// Forks and, in the parent, waits for the child's end.
ForkResult fork_run();

}  // namespace jostle::engine
