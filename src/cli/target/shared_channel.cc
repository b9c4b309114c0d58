// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/shared_channel.h"

#include <cstring>

namespace jostle::cli {

Result<SharedChannel> create_channel() {
  Result<SharedChannel> channel = SharedChannel::create("jostle-channel");
  if (!channel) return channel;
  (*channel)->magic = channel::kMagic;
  (*channel)->version = channel::kVersion;
  (*channel)->size = sizeof(channel::Channel);
  return channel;
}

Result<SharedHub> create_hub() { return SharedHub::create("jostle-hub"); }

channel::Config default_config(channel::Mode mode) {
  channel::Config config{};
  config.mode = mode;
  config.record = 1;
  config.checks = channel::kDefaultChecks;
  config.first_schedule = 1;
  config.workers = 1;
  config.clock_start = kClockStart;
  set_strategy(config, "random");
  return config;
}

bool set_strategy(channel::Config& config, std::string_view strategy) {
  if (strategy.size() >= sizeof config.strategy) return false;
  std::memset(config.strategy, 0, sizeof config.strategy);
  std::memcpy(config.strategy, strategy.data(), strategy.size());
  return true;
}

}  // namespace jostle::cli
