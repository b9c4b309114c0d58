// SPDX-License-Identifier: Apache-2.0
// Where threads may be preempted, as the user wants it: --points, --stop-at, --stop-file,
// --stop-only. Shared by the commands that search or run a schedule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/options/command_line.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/program_code.h"
#include "src/cli/target/stop_patterns.h"
#include "src/schedule/config.h"
#include "src/schedule/stop_range.h"

namespace jostle::cli {

struct PointOptions {
  std::optional<channel::Points> points;
  bool stop_only = false;
  std::vector<StopPattern> patterns;
  std::vector<std::string> words;  // the options with values, as they were typed

  // All of them, to be typed again: " --stop-at 'Buffer::*' --stop-only".
  std::string typed() const;
};

void add_point_options(CommandLine& line, PointOptions& options);

// What the options come to for one program.
struct PointSetting {
  channel::Points points = channel::Points::all;
  bool stop_only = false;
  std::vector<channel::StopRange> ranges = {};
  size_t functions = 0;  // that are stop points

  void apply(channel::Config& config, LaunchPlan& plan) const;
  // "stop points: 3 functions"; empty when threads may be preempted everywhere.
  std::string headline() const;
};

// Starts the program of the plan once when there are patterns.
Result<PointSetting> find_points(const PointOptions& options, const LaunchPlan& plan,
                                 const Installation& installation);

// The code of the standard library that was compiled into the program.
std::vector<channel::StopRange> library_ranges(const std::vector<ModuleCode>& modules);

// "all", "sync", "stops"
std::string_view name(channel::Points points);

}  // namespace jostle::cli
