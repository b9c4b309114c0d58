// SPDX-License-Identifier: Apache-2.0
// The process that waits in jostle_explore: starts the command and forks targets for it.
#pragma once

#include "include/jostle/jostle.h"
#include "src/schedule/channel.h"

namespace jostle::rt {

// Has the command explore the check, and fills in what it says at the end.
void serve_check(const jostle_check& check, const char* name, jostle_result& result);

// In a target: takes control and runs the body, as often as the channel's campaign wants.
[[noreturn]] void run_check(const jostle_check& check, channel::Channel* channel);

}  // namespace jostle::rt
