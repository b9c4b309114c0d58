// SPDX-License-Identifier: Apache-2.0
// The result of a campaign for machines: `--json` and stats.json. Keys are listed in
// docs/exit-codes.md and stay as they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/campaign/campaign_process.h"
#include "src/cli/findings/lock_order_list.h"
#include "src/cli/findings/race_list.h"
#include "src/cli/folder/units/search_summary.h"
#include "src/cli/support/error.h"
#include "src/cli/support/thoroughness.h"
#include "src/cli/target/target.h"
#include "src/report/formats/failure_json.h"
#include "src/schedule/hub.h"

namespace jostle::cli {

struct FailureEntry {
  std::string kind;
  std::string headline;
  uint64_t schedule_number = 0;
  uint64_t signature = 0;
  std::string folder = {};                           // empty: not confirmed, or not saved
  std::string why_not = {};                          // not confirmed
  bool out_of_time = false;                          // for there was no time left
  uint64_t preemptions = 0, preemptions_before = 0;  // of the schedule, and before it was minimised
  std::string why = {};                              // the explanation, if there is one
  std::vector<TakenBefore> deadlock = {};            // who waits for each other, if it is one
};

// How evenly the runs spread over the data flows that there were.
struct Evenness {
  double commonest = 0;  // its share of the runs
  double entropy = 0;    // of the distribution, in bits: more is more even
  // How many data flows were seen in exactly so many runs.
  std::map<uint64_t, uint64_t> histogram = {};
};
Evenness evenness_of(const Hub& hub);

// The recorded execution around which a campaign searched.
struct AroundWhat {
  std::string file;     // empty: none
  std::string summary;  // of its end
  bool is_failure = false;
  std::vector<std::string> not_followed = {};  // what of it could not be followed, a clause each
};

struct CampaignResult {
  Target target;
  std::vector<std::string> arguments;
  channel::Config config = {};
  Totals totals = {};
  Evenness evenness = {};
  std::chrono::system_clock::time_point started{};
  std::chrono::nanoseconds elapsed{};
  std::chrono::nanoseconds elapsed_before{};  // in searches that this one goes on from
  std::string stopped;  // "budget", "time", "finding", "exhausted", "interrupted", "error"
  std::vector<FailureEntry> failures = {};
  std::vector<FailureEntry> unconfirmed = {};
  Undone undone = {};
  std::vector<report::RaceGroup> races = {};  // that are no failures
  std::vector<LockOrderWarning> lock_order = {};
  size_t stop_functions = 0;
  std::string test = {};  // the campaign was for this test of the program only
  uint32_t workers = 1;
  // The folder of the campaign in which this is one worker, and its name there; empty: it is alone.
  std::string campaign = {}, worker = {};
  size_t failures_elsewhere = 0;   // that were seen here, but found by other workers before
  std::string executor_note = {};  // why runs have a process each
  std::string file_note = {};      // which files runs find as others left them
  // Findings of earlier campaigns, tried first (--regress): see regressions.h.
  std::optional<report::Json> regressions = {};
  size_t regressions_failed = 0;         // are still there, or fail otherwise
  size_t regressions_not_followed = 0;   // mean nothing any more
  bool verifies = false;                 // the verdict is what was asked for
  bool sync_only = false;                // that the program is not instrumented is intended
  std::string gap_place = {};            // where the exploration met what it does not cover
  std::vector<std::string> unseen = {};  // modules that are not instrumented
  AroundWhat around = {};
  // Of a search that several workers of a folder share: all of it.
  std::optional<SearchSummary> shared = {};
  bool failed_elsewhere = false;  // a failure that another worker found has ended it
  Exit exit = Exit::ok;
};

// How runs ended, in per cent of all, and what one costs.
struct Shares {
  double violated = 0;    // failed, but neither of the following
  double deadlocked = 0;  // no thread could go on
  double timed_out = 0;   // did not come to an end: time, steps, livelock
  double ms_per_schedule = 0;
};
Shares shares_of(const Totals& totals, std::chrono::nanoseconds elapsed);

// What a search that found nothing may have missed. Unknown if it failed, or has seen everything,
// or there were more classes than are counted.
Thoroughness thoroughness_of(const CampaignResult& result);
report::Json thoroughness_json(const Thoroughness& thoroughness);

report::Json stats_json(const CampaignResult& result);
// One JSON object on several lines, ending in a newline.
std::string stats_text(const CampaignResult& result);

// The same in short as other fuzzers have it, `key : value` on a line: for tools that watch
// several.
std::string fuzzer_stats_text(const CampaignResult& result);

std::string_view name(channel::StopReason reason);
std::string_view name(channel::Executor executor);

}  // namespace jostle::cli
