// SPDX-License-Identifier: Apache-2.0
// The processes that the program has started: are there any that may still act on it?
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace jostle::rt {

// One was started. 0: by libc, which does not say which.
void note_child(pid_t process);
bool has_living_child();
// In a child: they are not its own.
void forget_children();

// Waits for a child as waitpid does: other threads go on meanwhile.
pid_t wait_for_pid(pid_t process, int* status, int options, uintptr_t pc);

}  // namespace jostle::rt
