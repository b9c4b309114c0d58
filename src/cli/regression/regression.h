// SPDX-License-Identifier: Apache-2.0
// A recorded finding and the program as it is today: is the failure still there?
//
// The program has been built anew since, as a rule. First the schedule is followed to the letter,
// as `jostle replay` does; then by names (by_names.h); then a campaign searches around it. Only
// what a fresh process shows counts as a failure. What counts as the same failure is its identity
// (report/model/identity.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/options/suppressions.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/signals.h"
#include "src/report/words/code_line.h"

namespace jostle::cli {

enum class Verdict {
  still_there,      // the same failure
  another_failure,  // the program fails, but otherwise
  fixed,            // the schedule was followed, and no schedule around it fails
  not_followed,     // it means nothing any more: `reason` says why
};
enum class FoundBy { recording, names, search };

struct Regression {
  std::string file = {};  // the replay file
  // As recorded.
  std::string program = {}, kind = {}, failure = {};
  uint64_t identity = 0;
  // The command with which one sees today's failure; empty: none.
  std::string shown_by = {};

  Verdict verdict = Verdict::not_followed;
  FoundBy found_by = FoundBy::recording;  // a failure
  std::string reason = {};
  uint64_t schedules = 0;      // that were run, up to the failure
  bool all_schedules = false;  // and there are no others
  // The failure of today.
  std::string seen = {};
  uint64_t seen_identity = 0;
  report::CodeLine at = {};
  channel::Failure end = {};

  bool is_finding = true;    // false: the recorded run did not fail, and there is no verdict
  bool interrupted = false;  // by the user: there is no verdict
  std::chrono::nanoseconds elapsed{};

  bool fails() const {
    return verdict == Verdict::still_there || verdict == Verdict::another_failure;
  }
};

struct RegressionOptions {
  std::vector<std::string> programs = {};  // paths, for the recordings of the same name
  bool for_all = false;                    // the only one of them is for every recording
  std::chrono::nanoseconds time = std::chrono::seconds(5);  // for each finding
  uint64_t schedules = 0;                                   // of the search; 0: as time allows
  channel::Config checks = {};                              // of it only these
  std::optional<uint32_t> volatile_atomic = {};             // unless as recorded
  bool only_failures = false;                               // are printed
};

// A file that cannot be read is one that cannot be followed.
Regression try_regression(const std::string& file, const RegressionOptions& options,
                          const Suppressions& suppressions, const Installation& installation,
                          SignalWatch& signals);

}  // namespace jostle::cli
