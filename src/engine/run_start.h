// SPDX-License-Identifier: Apache-2.0
// What every run of the engine begins with, and what all of them end with.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {

// Prepares schedule `number` of the campaign: it may be run next.
void begin_schedule(channel::Channel& channel, Strategy* strategy, uint64_t number);

// The output of runs that nobody watches interests nobody.
void silence_output();

// The engine has done what it was started for: the process ends.
[[noreturn]] void finish_campaign(channel::Channel& channel, channel::StopReason why);

}  // namespace jostle::engine
