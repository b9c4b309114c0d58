// What every run of the engine begins with.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {

// Prepares schedule `number` of the campaign: it may be run next.
void begin_schedule(channel::Channel& channel, Strategy* strategy, uint64_t number);

// The output of runs that nobody watches interests nobody.
void silence_output();

}  // namespace jostle::engine
