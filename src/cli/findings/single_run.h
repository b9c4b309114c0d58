// SPDX-License-Identifier: Apache-2.0
// What becomes of a single run that a user watched (`run`, `step`): its report, its exit code, its
// replay file.
#pragma once

#include <string>
#include <vector>

#include "src/cli/options/suppressions.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/error.h"
#include "src/report/text/race_groups.h"
#include "src/report/text/text_report.h"
#include "src/schedule/channel.h"

namespace jostle::cli {

struct WatchedRun {
  const channel::Channel& channel;
  int status;        // of waitpid
  bool interrupted;  // by the user, through us: nothing to report
};

// Prints the report if the run failed; `format` says how it can be done again. Gives the exit code:
// the program's own, or 77 for a failure that it does not show.
int conclude(const WatchedRun& run, report::ReportOptions format);

// The data races of the run that are not suppressed, to stderr.
std::vector<report::RaceGroup> show_races(const channel::Channel& channel,
                                          const Suppressions& suppressions);

// Writes the recording of the channel's run to `file`, which was opened under the name `path`. Much
// standard input goes into a file next to it.
MaybeError save_recording(Recording recording, const channel::Channel& channel,
                          const std::string& path, AtomicFile& file);

}  // namespace jostle::cli
