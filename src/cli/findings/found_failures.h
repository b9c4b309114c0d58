// SPDX-License-Identifier: Apache-2.0
// What becomes of the failures that a search finds: each is minimised, confirmed in a fresh
// process, kept in its folder and shown; no two that look the same.
#pragma once

#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/cli/campaign/fuzz_inputs.h"
#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/campaign/progress_display.h"
#include "src/cli/findings/confirm.h"
#include "src/cli/findings/race_list.h"
#include "src/cli/findings/stats.h"

namespace jostle::cli {

class FoundFailures {
 public:
  // The campaign that is under way; all of it outlives us. Failures are entered into `result`.
  struct Campaign {
    const FuzzOptions& options;
    const Installation& installation;
    const OutputFolder& folder;
    FILE* text;
    Progress& progress;
    CampaignResult& result;
    const Budget& budget;
  };
  FoundFailures(Campaign campaign, StandardInput input, const FuzzInputs* inputs);

  // What is known of the search when it has found something.
  struct Search {
    channel::Executor executor;
    Hub& hub;
    const channel::Channel& channel;   // for the names of places
    std::chrono::nanoseconds one_run;  // takes so long
    size_t waiting = 1;                // findings that want to be confirmed, this one included
  };
  // The search has found it. An error ends the campaign.
  MaybeError take(const Finding& found, const Search& search);
  bool is_wanted(const Finding& finding) const;
  // A failure that was reported before the search: it is not reported again.
  void knows(const channel::Failure& end, uint64_t identity);
  // Other workers of the campaign have found these, by their identities: they are counted, not
  // reported again.
  void knows_elsewhere(const std::set<uint64_t>& identities) { elsewhere_ = identities; }
  // Identities of all that this search has seen; of them, those that others found first.
  std::set<uint64_t> seen() const;
  size_t seen_elsewhere() const { return seen_elsewhere_.size(); }
  // Races that are no failures, into the result and to races.txt.
  MaybeError list_races(bool leaves_files);

  bool any_confirmed() const { return !confirmed_.empty(); }
  // Something was found that could not be written.
  bool output_failed() const { return output_failed_; }
  int input() const { return input_.file.get(); }
  // For the document; they are given away.
  std::vector<report::TraceModel> take_models() { return std::move(models_); }
  // For the program that waits in a check.
  const std::string& check_report() const { return check_report_; }
  // For the terminal; empty if there are none.
  std::string brief_races() const;
  // What there was no time for; `again`: the command that begins anew with more of it.
  Undone undone(const std::string& again) const;

 private:
  Result<Finding> make_input_small(const Finding& finding, const Search& search);
  MaybeError use_input(const std::string& bytes);
  Result<Minimized> minimize_with_input(LaunchPlan plan, const channel::Config& config,
                                        const Finding& finding, std::chrono::nanoseconds time);
  // Notes what a finding known by its exit status said. False: there is no time.
  Result<bool> listen_to(Finding& finding);
  // Is it one that has been confirmed, although it looks different in this build?
  Result<bool> is_known(const Finding& finding);
  Result<Confirmation> make_small_and_confirm(const Finding& finding, const Search& search,
                                              FailureEntry& entry);
  std::chrono::nanoseconds time_to_minimize(const Search& search) const;
  MaybeError keep_for_later(const Finding& finding, const Search& search, FailureEntry entry);
  ConfirmSetup setup() const {
    return {campaign_.result.target,
            program_,
            input_,
            campaign_.folder,
            campaign_.installation,
            campaign_.options.config,
            campaign_.options.suppressions,
            campaign_.budget,
            campaign_.options.directory,
            campaign_.options.variables};
  }
  Screen screen() const;
  std::string shown_text(const Confirmation& confirmation) const;
  void show(const Confirmation& confirmation);
  bool seen_enough(const Finding& finding) const;
  std::string races_file() const { return campaign_.folder.path() + "/races.txt"; }

  Campaign campaign_;
  StandardInput input_;
  const FuzzInputs* inputs_;   // null: inputs are not searched for
  std::string failing_input_;  // of the finding at hand
  RecordedProgram program_;
  std::string check_report_;
  std::vector<report::TraceModel> models_;
  RaceList races_;
  bool skipped_minimizing_ = false;         // of the finding at hand: there was no time
  std::vector<std::string> not_minimized_;  // folders
  std::vector<std::string> not_confirmed_;  // replay files
  std::vector<std::string> no_page_;        // folders
  std::set<uint64_t> confirmed_;            // identities
  std::set<uint64_t> told_before_;          // identities, see knows()
  std::set<uint64_t> elsewhere_;            // identities, see knows_elsewhere()
  std::set<uint64_t> seen_elsewhere_;       // of those, the ones that were seen here, too
  std::set<uint64_t> known_;                // signatures of which at least one is confirmed
  std::set<uint64_t> places_;               // of those that are confirmed, see place_of
  std::map<uint64_t, int> attempts_;
  std::map<uint64_t, int> listened_;  // to findings of a signature
  bool output_failed_ = false;
};

}  // namespace jostle::cli
