// SPDX-License-Identifier: Apache-2.0
// Loops without a hook that read memory all the same: locks and flags in inline assembly. A thread
// that waits there would wait for ever, because nobody else gets a turn.
#pragma once

#include <signal.h>

#include <cstdint>

namespace jostle::rt {

// For the watchdog, in the kernel's handler. True: when the handler returns, the running thread
// gives way, as by a yield at the beginning of its function, before it goes on where it was. False:
// nobody else can go on, or there is no room.
bool give_way_behind_handler(int sig, siginfo_t* info, void* context);

}  // namespace jostle::rt
