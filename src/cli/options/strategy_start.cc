// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/strategy_start.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "src/cli/options/command_line.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/support/given_file.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

Result<StrategyStart> read_bytes(const std::string& path) {
  const auto bytes = read_given_file(path);
  if (!bytes) return Error{Exit::usage, fmt::format("--from {}: {}", path, std::strerror(errno))};
  StrategyStart start;
  start.bytes.assign(bytes->begin(), bytes->end());
  if (start.bytes.size() > channel::kMaxScheduleBytes) {
    return Error{Exit::usage, fmt::format("--from {}: more than {} bytes", path,
                                          report::thousands(channel::kMaxScheduleBytes))};
  }
  return start;
}

// "bytes, replay and mutate".
std::string those_that_take_files() {
  std::string list;
  const StrategyInfo* last = nullptr;
  for (const StrategyInfo* info : known_strategies()) {
    if (info->takes == StrategyTakes::nothing) continue;
    if (last) list += fmt::format("{}{}", list.empty() ? "" : ", ", last->name);
    last = info;
  }
  return list.empty() ? std::string(last->name) : fmt::format("{} and {}", list, last->name);
}

}  // namespace

void StrategyStart::store(channel::Channel& channel) const {
  channel.config.byte_count = bytes.size();
  std::memcpy(channel.bytes, bytes.data(), bytes.size());
  channel.config.has_input = schedule ? 1 : 0;
  if (schedule) store_for_target(*schedule, channel);
}

Result<StrategyStart> load_strategy_start(const channel::Config& config, const std::string& path) {
  const StrategyInfo& info = strategy_info(config);
  if (path.empty()) {
    if (info.needs_it) {
      return Error{Exit::usage,
                   fmt::format("--strategy {} needs --from FILE, {}", info.name,
                               info.takes == StrategyTakes::bytes ? "bytes" : "a replay.json")};
    }
    return StrategyStart{};
  }
  switch (info.takes) {
    case StrategyTakes::bytes:
      return read_bytes(path);
    case StrategyTakes::schedule: {
      Result<Recording> recording = load_replay_file(path);
      if (!recording) return recording.error();
      StrategyStart start;
      start.schedule = std::move(recording->log);
      return start;
    }
    case StrategyTakes::nothing:
      break;
  }
  return Error{Exit::usage, fmt::format("--from is for the strategies {}, not for {}",
                                        those_that_take_files(), info.name)};
}

}  // namespace jostle::cli
