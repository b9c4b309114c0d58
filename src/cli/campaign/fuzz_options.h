// SPDX-License-Identifier: Apache-2.0
// The options of `jostle fuzz` and `jostle verify`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/folder/units/unit_worker.h"
#include "src/cli/folder/worker_place.h"
#include "src/cli/options/checks.h"
#include "src/cli/options/document.h"
#include "src/cli/options/event_options.h"
#include "src/cli/options/stop_points/stop_points.h"
#include "src/cli/options/suppressions.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/budget.h"
#include "src/cli/support/values.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/target.h"

namespace jostle::cli {

// What `jostle verify --around` is about: regression/around.h.
struct AroundRecording {
  std::string file;
  Recording recording = {};
  std::string summary = {};  // of the recorded end
  bool is_failure = true;    // that was one
  bool is_rebuilt = false;   // the program, since
  // What of the recording the search cannot follow, a clause each.
  std::vector<std::string> not_followed = {};
};

struct FuzzOptions {
  // `jostle verify`: all executions are explored, and the verdict is what is asked for.
  bool verifies = false;
  static constexpr uint64_t kDefaultMinimizing = 1'500'000'000;

  channel::Config config = default_config(channel::Mode::fuzz);
  std::string output = "jostle-out";
  std::string schedule;                        // file for the strategy to begin with
  std::string graph;                           // file for the scheduling graph
  std::string inputs;                          // corpus: inputs are searched for, too
  std::string campaign;                        // folder that workers share; empty: none
  std::optional<WorkerPlace> worker;           // which of them this is, if that was said
  std::string input_name;                      // standard input, by its content
  std::chrono::seconds lease = kDefaultLease;  // of a unit, to a worker that may be dead
  std::optional<AroundRecording> around;       // executions next to a recorded one
  static constexpr uint32_t kDefaultRadius = 2;
  std::optional<uint32_t> radius;
  bool preemptions_given = false;
  std::string regress;                      // folder of findings that are tried first
  std::vector<std::string> known_findings;  // those in it that are of this program
  bool keep_going = false, ignore_exit = false, sync_only = false, quiet = false, json = false;
  bool seed_given = false, output_given = false;
  uint32_t workers = 1;
  uint64_t minimizing = kDefaultMinimizing;  // nanoseconds per failure; 0: not at all
  bool resume = true, resume_asked = false, fresh = false;
  DocumentOptions document;
  PointOptions point_options;
  PointSetting points;
  CheckOptions check_options;
  EventOptions event_options;
  Suppressions suppressions;
  std::vector<std::string> program;
  std::vector<std::string> words;  // as typed
  std::string config_file;         // that some come from
  Budget budget;                   // of the whole command
  // The same campaign with three times the time, as one would type it.
  std::string with_more_time() const;
  // The command that goes on where this one was interrupted.
  std::string resumed() const;
  // Started by a program that waits in jostle::check: its socket, and which check it is.
  int fork_server = -1;
  std::string check;
  // A campaign for each test of the program, see each_test.h.
  bool each_test = false;
  bool time_given = false;
  // This campaign is one of them: the test's name, which one it is, where it runs (empty: here),
  // and how many failures have been shown before.
  std::string test = {};
  size_t test_number = 0, test_count = 0;
  std::string directory = {};
  std::string variables = {};  // "env NAME=value ", for one who replays it
  size_t shown_before = 0;

  LaunchPlan plan(const Target& target) const {
    LaunchPlan plan{target.path, program};
    plan.directory = directory;
    return plan;
  }
  // "3 of 17: Queue.PushPop"; empty: it is no test.
  std::string test_title() const;
};

// With the options of `jostle fuzz`, or those of `jostle verify`. As the other commands: an exit
// code when that is all there is to do.
std::optional<int> parse_fuzz_options(const std::vector<std::string>& words, FuzzOptions& options);

}  // namespace jostle::cli
