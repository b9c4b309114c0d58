// SPDX-License-Identifier: Apache-2.0
// The course of one campaign after everything has been checked: old findings first, the search,
// what was found, the exit code, the files.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "src/cli/campaign/corpus.h"
#include "src/cli/campaign/fuzz_program.h"
#include "src/cli/campaign/interrupted_search.h"
#include "src/cli/campaign/plot_data.h"
#include "src/cli/campaign/workers.h"
#include "src/cli/findings/found_failures.h"
#include "src/cli/findings/fuzz_summary.h"
#include "src/cli/options/strategy_start.h"
#include "src/cli/search/campaign_member.h"
#include "src/cli/target/signals.h"

namespace jostle::cli {

class FuzzSearch {
 public:
  struct Parts {
    FuzzOptions options;
    Target target;
    OutputFolder folder;
    StandardInput input;
    Installation installation;
    StrategyStart start;
    std::optional<FuzzInputs> inputs;
    std::optional<CampaignWorker> worker;  // none: this search is alone
  };
  explicit FuzzSearch(Parts parts);
  FuzzSearch(const FuzzSearch&) = delete;
  FuzzSearch& operator=(const FuzzSearch&) = delete;

  // The exit code. `report`: see fuzz_program.
  int run(TestReport* report);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_test() const { return !options_.test.empty(); }
  // The unit test that passes leaves nothing behind; a failure is kept in any case.
  bool leaves_files() const { return !installation_.fork_server || !options_.quiet; }
  std::string corpus_folder() const { return folder_.path() + "/corpus"; }
  bool explores_units() const { return member_ && member_->explores_units(); }
  bool any_found() const { return failures_.any_confirmed() || failures_.seen_elsewhere() != 0; }

  void announce();
  // The findings of --regress. False: interrupted.
  bool try_known_findings();

  // ---- the search
  MaybeError search();
  Result<Workers> start_workers();
  MaybeError prepare(Hub& hub);
  MaybeError run_to_end(Workers& campaign);
  MaybeError take_findings(Workers& campaign);
  void show_progress(Workers& campaign, bool running);
  // What came of it. `failure`: how it ended.
  MaybeError conclude(Workers& campaign, MaybeError failure);
  void say_executor(const Workers& campaign);
  FoundFailures::Search what_is_known(const Workers& campaign, size_t waiting);

  // ---- what is left of it
  MaybeError keep_what_was_learned(const Workers& campaign);
  MaybeError keep_search(const Hub& hub);
  MaybeError draw(const channel::Channel& channel);
  void write_fuzzer_stats(const ProgressView& view);
  MaybeError write_stats();
  MaybeError write_result(const MaybeError& error);
  Exit exit_after(const MaybeError& error) const;
  void tell_check();

  FuzzOptions options_;
  StrategyStart start_;
  std::optional<FuzzInputs> inputs_;
  OutputFolder folder_;
  Installation installation_;
  FILE* text_;
  Progress progress_;
  PlotData plot_;
  SignalWatch signals_{true};
  CampaignResult result_;
  FoundFailures failures_;
  std::optional<CampaignMember> member_;          // of a campaign that is a folder
  std::vector<report::KnownFinding> known_ = {};  // of --regress
  InterruptedSearch interrupted_search_{folder_.path(), options_, result_.target};
  bool interrupted_ = false;
  std::chrono::nanoseconds before_search_{};  // took what was done first
  SummaryNotes notes_;
  Clock::time_point next_stats_;
  CorpusWriter corpus_{corpus_folder(), result_.target};
  Clock::time_point next_corpus_;
};

}  // namespace jostle::cli
