// SPDX-License-Identifier: Apache-2.0
// What becomes of the data races of a run (memory/races.h): its record names each once, and those
// that are failures end it.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::rt {

// A new run. What is found goes into its record.
void begin_race_reports(channel::Channel& channel);

}  // namespace jostle::rt
