// SPDX-License-Identifier: Apache-2.0
// The processes that the program has started, and the one that started it, if that was the program:
// are there any that may still act on it?
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace jostle::rt {

// One is about to be started: a process that is one finds this one as its parent.
void prepare_child();
// One was started. 0: by libc, which does not say which.
void note_child(pid_t process);
bool has_living_relative();
bool has_living_parent();
// In a child: they are not its own. The parent is one that may act on it.
void forget_children();

// Waits for a child as waitpid does: other threads go on meanwhile.
pid_t wait_for_pid(pid_t process, int* status, int options, uintptr_t pc);

}  // namespace jostle::rt
