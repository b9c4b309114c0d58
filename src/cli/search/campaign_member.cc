// SPDX-License-Identifier: Apache-2.0
#include "src/cli/search/campaign_member.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/campaign/plot_data.h"
#include "src/cli/campaign/process_parts.h"
#include "src/cli/folder/units/unit_files.h"
#include "src/report/words/text.h"

namespace jostle::cli {

CampaignMember::CampaignMember(CampaignWorker worker, const FuzzOptions& options,
                               CampaignResult& result, FoundFailures& failures, FuzzInputs* inputs)
    : worker_(std::move(worker)),
      options_(options),
      result_(result),
      failures_(failures),
      inputs_(inputs) {
  result_.campaign = worker_.folder().path();
  result_.worker = worker_.own().name();
  if (options_.verifies) {
    units_.emplace(worker_.folder().path(), worker_.folder().build(worker_.build()), result_.worker,
                   options_.lease);
  }
}

void CampaignMember::begin(Hub& hub) {
  worker_.begin(hub);
  if (units_ && !worker_.known_failures().empty()) ended_by_others_ = "finding";
  failures_.knows_elsewhere(worker_.known_failures());
  if (units_) units_->begin(hub);
}

CampaignWorker::Now CampaignMember::what_to_tell(const ProgressView& view) {
  const Totals& totals = view.totals;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(view.elapsed).count();
  CampaignWorker::Now now;
  now.progress.elapsed_ms = static_cast<uint64_t>(ms);
  now.progress.schedules = totals.schedules;
  now.progress.failing_schedules = totals.failing_schedules;
  now.progress.distinct = totals.distinct;
  for (const auto& [name, percent] : read_shares(view.shares)) {
    now.shares.push_back({name, static_cast<uint32_t>(std::max(percent, 0))});
  }
  const std::set<uint64_t> seen = failures_.seen();
  now.failures = seen.size();
  for (const uint64_t identity : seen) {
    if (told_failures_.insert(identity).second) worker_.saw_failure(identity);
  }
  if (inputs_) now.inputs = inputs_->take_news();
  return now;
}

void CampaignMember::exchange(Workers& campaign, const ProgressView& view) {
  worker_.tick(what_to_tell(view));
  failures_.knows_elsewhere(worker_.known_failures());
  if (inputs_) inputs_->add_from_others(worker_.take_inputs());
  if (worker_.should_stop()) {
    ended_by_others_ = "stopped";
  } else if (!options_.keep_going && worker_.failures_since_start() > failures_.seen().size()) {
    ended_by_others_ = "finding";
  }
  if (!ended_by_others_.empty()) campaign.stop();
}

SearchNotes CampaignMember::notes_of_units(const Workers& campaign) {
  result_.totals = campaign.totals();
  result_.unseen = unseen_modules(campaign.channel());
  SearchNotes notes = search_notes(result_);
  if (doubts_rewinding_) {
    notes.missing.push_back(
        fmt::format("units were explored before it showed that the program "
                    "needs a process per run: --executor=fork in another "
                    "folder ({})",
                    result_.executor_note));
  }
  return notes;
}

// Runs have a process each from now on; those of units that were answered before had none.
void CampaignMember::note_executor() {
  if (knows_executor_ || result_.executor_note.empty()) return;
  knows_executor_ = true;
  doubts_rewinding_ = units_->has_answered();
}

MaybeError CampaignMember::explore_units(Workers& campaign) {
  if (campaign.channel().status.phase == channel::Phase::starting) return std::nullopt;
  if (!knows_libraries_) {
    const std::string build = worker_.folder().build(worker_.build());
    if (MaybeError error = same_libraries(build, library_list(campaign.channel()))) return error;
    knows_libraries_ = true;
  }
  note_executor();
  return units_->tick([&] { return notes_of_units(campaign); });
}

// What is said of the search is about all of it.
MaybeError CampaignMember::leave_units(Workers& campaign) {
  note_executor();
  MaybeError error = units_->end([&] { return notes_of_units(campaign); });
  result_.failed_elsewhere = others_found_it();
  result_.shared = units_->summary();
  result_.totals.exploration = result_.shared->explored;
  return error;
}

void CampaignMember::leave(const ProgressView& view) {
  if (MaybeError error = worker_.end(what_to_tell(view), result_.stopped)) {
    note(fmt::format("{}: what was found last is not in the campaign", error->message));
  }
}

// Where all of it is, and what others had to do with how it ended.
void CampaignMember::say_end(FILE* text) const {
  const std::string& folder = result_.campaign;
  const size_t known = worker_.known_failures().size();
  if (others_found_it() || result_.failures_elsewhere != 0) {
    note(fmt::format("{} found by other workers: {}", report::count(known, "failure"),
                     report::escape(worker_.findings())));
  } else if (ended_by_others_ == "stopped") {
    note("jostle stop has ended the campaign");
  }
  if (const uint64_t wrong = worker_.segments_left_out(); wrong != 0) {
    note(fmt::format("{} of other workers could not be read and {} left out",
                     report::count(wrong, "segment"), wrong == 1 ? "was" : "were"));
  }
  fmt::print(text, "all workers: jostle status {}\n", shell_quote(folder));
  std::fflush(text);
}

}  // namespace jostle::cli
