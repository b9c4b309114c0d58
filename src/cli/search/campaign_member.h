// SPDX-License-Identifier: Apache-2.0
// The part of one search in a campaign that is a folder: what it tells the other workers, what it
// hears from them, the units of a divided search that it explores, and whether others have ended
// it.
#pragma once

#include <cstdio>
#include <optional>
#include <set>
#include <string>

#include "src/cli/campaign/fuzz_inputs.h"
#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/campaign/workers.h"
#include "src/cli/findings/found_failures.h"
#include "src/cli/findings/proof.h"
#include "src/cli/folder/campaign_worker.h"
#include "src/cli/folder/units/unit_worker.h"

namespace jostle::cli {

class CampaignMember {
 public:
  // What is referred to outlives us. `inputs`: null if the search has none.
  CampaignMember(CampaignWorker worker, const FuzzOptions& options, CampaignResult& result,
                 FoundFailures& failures, FuzzInputs* inputs);

  // The search begins.
  void begin(Hub& hub);
  // Between steps of the search: tells and hears what is due. May stop the campaign.
  void exchange(Workers& campaign, const ProgressView& view);
  // The search is over.
  void leave(const ProgressView& view);

  // ---- units of a search that all workers share
  bool explores_units() const { return units_.has_value(); }
  MaybeError explore_units(Workers& campaign);
  MaybeError leave_units(Workers& campaign);
  // Of the whole search.
  channel::Exploration progress_of_all() { return units_->view().progress(); }

  // Why, as `stopped` in stats.json; empty: they have not.
  const std::string& ended_by_others() const { return ended_by_others_; }
  bool others_found_it() const { return ended_by_others_ == "finding"; }
  // Where all of it is, and what others had to do with how it ended.
  void say_end(FILE* text) const;

 private:
  CampaignWorker::Now what_to_tell(const ProgressView& view);
  SearchNotes notes_of_units(const Workers& campaign);
  void note_executor();

  CampaignWorker worker_;
  const FuzzOptions& options_;
  CampaignResult& result_;
  FoundFailures& failures_;
  FuzzInputs* inputs_;
  std::optional<UnitWorker> units_;
  bool knows_executor_ = false;    // that runs need a process each
  bool doubts_rewinding_ = false;  // of units that were answered before that was known
  bool knows_libraries_ = false;   // they are those of the other workers
  std::string ended_by_others_;
  std::set<uint64_t> told_failures_;  // the other workers know of them
};

}  // namespace jostle::cli
