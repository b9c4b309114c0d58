// SPDX-License-Identifier: Apache-2.0
// Runs that nobody sees, before the one that somebody steps through.
//
// Which memory is shared is learned by watching runs (see runtime/memory/sharing.h); the first run
// of a program knows nothing yet, and would miss most of the scheduling points that a person wants
// to choose at. So the program runs a few times in children of its process, without output, and
// leaves behind what it shares.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"

namespace jostle::engine {

// Returns the number of the next schedule.
uint64_t rehearse(channel::Channel& channel, uint32_t times);

}  // namespace jostle::engine
