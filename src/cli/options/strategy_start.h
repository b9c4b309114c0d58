// SPDX-License-Identifier: Apache-2.0
// What --from FILE gives the strategy to begin with: bytes, or the schedule of a replay file.
#pragma once

#include <optional>
#include <string>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

struct StrategyStart {
  std::string bytes = {};
  std::optional<ScheduleLog> schedule = {};

  void store(channel::Channel& channel) const;
};

// Reads the file (none when `path` is empty) as the strategy of `config` wants it.
Result<StrategyStart> load_strategy_start(const channel::Config& config, const std::string& path);

}  // namespace jostle::cli
