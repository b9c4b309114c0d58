// SPDX-License-Identifier: Apache-2.0
// The command's end of the channel, and of the hub.
#pragma once

#include <string_view>

#include "src/cli/target/shared_memory.h"
#include "src/schedule/channel.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

using SharedChannel = Shared<channel::Channel>;
using SharedHub = Shared<Hub>;

// Zeroed, with magic, version and size filled in.
Result<SharedChannel> create_channel();
Result<SharedHub> create_hub();

// The settings of a plain execution: strategy "random", no limits, a clock that always starts at
// the same time. Everything else is for the caller to say.
channel::Config default_config(channel::Mode mode);

// False when the name is too long for the channel.
bool set_strategy(channel::Config& config, std::string_view strategy);

// What CLOCK_REALTIME shows first unless --clock says otherwise: fixed, so that a seed determines
// all of a run, srand(time(0)) included. 14 November 2023.
inline constexpr int64_t kClockStart = 1'700'000'000;

}  // namespace jostle::cli
