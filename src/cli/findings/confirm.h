// SPDX-License-Identifier: Apache-2.0
// From a finding of a campaign to a bug that is shown: replay it in a fresh process, then keep it.
//
// A campaign's runs are children of one process and are not recorded in full. Nothing of that is
// trusted: only when a new process, following the schedule, fails in the same way is the finding
// written to its folder.
#pragma once

#include <optional>
#include <string>

#include "src/cli/options/suppressions.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"
#include "src/cli/support/terminal.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/standard_input.h"
#include "src/minimize/command/minimize_schedule.h"
#include "src/report/model/trace_model.h"

namespace jostle::cli {

struct ConfirmSetup {
  const Target& target;
  const RecordedProgram& program;
  const StandardInput& input;
  const OutputFolder& folder;
  const Installation& installation;
  channel::Config config;  // of the campaign
  const Suppressions& suppressions;
  Budget budget = {};
  std::string directory = {};  // where the program runs; empty: here
  std::string variables = {};  // "env NAME=value ": which variables of its own it needs

  ConfirmSetup with_input(const StandardInput& other) const {
    return {target, program,      other,  folder,    installation,
            config, suppressions, budget, directory, variables};
  }
};

struct Confirmation {
  bool confirmed = false;
  bool suppressed = false;     // it is a race that nobody wants to hear of
  bool out_of_time = false;    // the replay was not at its end when there was no time left
  std::string why_not = {};    // one sentence
  std::string headline = {};   // first line of the report
  std::string report = {};     // for the terminal
  std::string folder = {};     // where it is kept
  std::string why = {};        // the explanation, if there is one
  bool is_new = false;         // false: the folder was there from an earlier campaign
  MaybeError not_saved = {};   // shown, but could not be written
  MaybeError incomplete = {};  // the replay file could be written, but something else could not
  bool no_page = false;        // there was no time for the pages
  uint64_t identity = 0;       // see report/model/identity.h
  report::TraceModel model = {};
};

// Where a replay's output goes; -1: nowhere.
struct ReplayOutput {
  int out = -1, err = -1;
  bool is_all = false;        // nothing but the output is wanted: no stacks, no trace
  bool is_for_races = false;  // callbacks and values are not looked at
};
// Follows the finding's schedule in a fresh process, with recording on.
Result<Execution> replay_finding(const ConfirmSetup& setup, const Finding& finding,
                                 ReplayOutput output = {});

// `screen`: of the terminal's report. With `minimized` the finding is its smallest one: the
// original is kept beside it, and schedules that pass are compared with it.
Result<Confirmation> confirm(const ConfirmSetup& setup, const Finding& finding,
                             const Screen& screen, const Minimized* minimized = nullptr);

// Of one known by its exit status: no replay is needed. See report/model/identity.h.
uint64_t exit_identity(const ConfirmSetup& setup, const Finding& finding);
// Replays the finding to learn its identity; none: it did not fail again, or there was no time.
Result<std::optional<uint64_t>> identify(const ConfirmSetup& setup, const Finding& finding);

// The schedule as it was found, without a replay, for one who has the time; the path of the file.
Result<std::string> keep_unconfirmed(const ConfirmSetup& setup, const Finding& finding,
                                     report::Symbolizer& symbols);

// "at step 14, T1 was about to write (bank.cc:22) where the recording has lock (bank.cc:20)"
std::string describe_divergence(const channel::Channel& channel);

}  // namespace jostle::cli
