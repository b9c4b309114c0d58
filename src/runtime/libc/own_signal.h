// SPDX-License-Identifier: Apache-2.0
// The one signal that is ours alone: the program can neither block nor handle it.
#pragma once

#include <signal.h>

namespace jostle::rt {

// Tells that a run has had its time (oracle/watchdog.h).
inline int watchdog_signal() { return SIGRTMAX; }

}  // namespace jostle::rt
