// SPDX-License-Identifier: Apache-2.0
// A run begins: modules above the scheduler reset what they keep about a run. Which ones is known
// there (runtime/start/run_begins.cc), where this is defined.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::rt {

// With `followed` the run does, or tries to do, what that recording did. The channel's record is
// that of the new run.
void run_begins(channel::Channel& channel, const channel::Schedule* followed);

}  // namespace jostle::rt
