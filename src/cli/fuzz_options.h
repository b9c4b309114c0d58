// The options of `jostle fuzz`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/budget.h"
#include "src/cli/checks.h"
#include "src/cli/document.h"
#include "src/cli/event_options.h"
#include "src/cli/stop_points.h"
#include "src/cli/suppressions.h"
#include "src/cli/values.h"

namespace jostle::cli {

struct FuzzOptions {
  static constexpr uint64_t kDefaultMinimizing = 1'500'000'000;

  channel::Config config = default_config(channel::Mode::fuzz);
  std::string output = "jostle-out";
  std::string schedule;  // file for the strategy to begin with
  std::string graph;     // file for the scheduling graph
  std::string inputs;    // corpus: inputs are searched for, too
  bool keep_going = false, ignore_exit = false, sync_only = false, quiet = false, json = false;
  bool seed_given = false;
  uint32_t workers = 1;
  uint64_t minimizing = kDefaultMinimizing;  // nanoseconds per failure; 0: not at all
  bool resume = true;
  DocumentOptions document;
  PointOptions point_options;
  PointSetting points;
  CheckOptions check_options;
  EventOptions event_options;
  Suppressions suppressions;
  std::vector<std::string> program;
  std::vector<std::string> words;  // as typed
  Budget budget;                   // of the whole command
  // The same campaign with three times the time, as one would type it.
  std::string with_more_time() const;
  // Started by a program that waits in jostle::check: its socket, and which check it is.
  int fork_server = -1;
  std::string check;
};

// As the other commands: an exit code when that is all there is to do.
std::optional<int> parse_fuzz_options(const std::vector<std::string>& words, FuzzOptions& options);

}  // namespace jostle::cli
