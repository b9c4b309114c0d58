// SPDX-License-Identifier: Apache-2.0
// How a run ended, as the campaign sees it. Pure: reads the record and what the kernel says.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::engine {

// Is it a bug, by what the user accepts?
bool is_failure(const channel::Config& config, const channel::Failure& end);

// A run that ended without a word from the runtime: what the kernel knows about it.
void settle_outcome(channel::RunRecord& run, int wait_status);

// A filter that kills does not tell by whose call. Where the program has one it may have been ours:
// then the end is "unsupported".
void settle_refused_call(channel::Channel& channel, int wait_status);

}  // namespace jostle::engine
