// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/found_failures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "src/base/hash.h"
#include "src/cli/findings/failure_table.h"
#include "src/cli/findings/last_words.h"
#include "src/cli/support/terminal.h"
#include "src/minimize/command/minimize_in_turn.h"
#include "src/minimize/command/shrink_input.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/identity.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

// A finding that does not show again is tried with other schedules of the same looks this often.
constexpr int kAttemptsPerSignature = 5;
// A recorded run in a fresh process takes about so many times what a run of the campaign takes, and
// starting it so much.
constexpr int kSlowdown = 5;
constexpr std::chrono::milliseconds kStart{200};
// Less is not worth to begin with.
constexpr std::chrono::milliseconds kLeastMinimizing{30};
constexpr int kLeastRuns = 4;

// What failures of one identity have in common, and can be seen without a replay.
uint64_t place_of(const channel::Failure& end) {
  const std::string message = report::normal_text(report::bounded(end.message));
  const std::string_view file = report::bounded(end.file);
  uint64_t hash = combine(static_cast<uint64_t>(end.outcome), static_cast<uint32_t>(end.code));
  hash = combine(hash, fnv1a(message.data(), message.size()));
  return combine(combine(hash, fnv1a(file.data(), file.size())), end.line);
}

// "A", "A (and 2 more)"
std::string first_of(const std::vector<std::string>& names) {
  return names.size() == 1 ? names[0] : fmt::format("{} (and {} more)", names[0], names.size() - 1);
}

}  // namespace

FoundFailures::FoundFailures(Campaign campaign, StandardInput input, const FuzzInputs* inputs)
    : campaign_(campaign),
      input_(std::move(input)),
      inputs_(inputs),
      program_(record_program(campaign.result.target, campaign.result.arguments)) {
  program_.check = campaign.options.check;
  program_.test = campaign.options.test;
  if (!campaign.options.directory.empty()) program_.directory = campaign.options.directory;
}

// Exit statuses hide different failures: so many runs with the same are listened to.
constexpr int kMostListened = 64;
constexpr size_t kMostTexts = 16;

bool FoundFailures::seen_enough(const Finding& finding) const {
  const uint64_t signature = finding.signature;
  if (finding.end.outcome == channel::Outcome::exited) {
    const auto listened = listened_.find(signature);
    return listened != listened_.end() &&
           (listened->second >= kMostListened || confirmed_.size() >= kMostTexts);
  }
  const auto attempts = attempts_.find(signature);
  return known_.contains(signature) ||
         (attempts != attempts_.end() && attempts->second >= kAttemptsPerSignature);
}

Screen FoundFailures::screen() const {
  // Of a check the program shows it, wherever that is: as wide as what its own errors go to.
  if (campaign_.installation.fork_server) return {terminal_columns(STDERR_FILENO), false};
  return screen_of(campaign_.text);
}

// The failure that was entered last.
std::string FoundFailures::shown_text(const Confirmation& confirmation) const {
  const size_t failures = campaign_.options.shown_before + campaign_.result.failures.size();
  if (failures <= kShownInFull) return confirmation.report;
  const FailureEntry& entry = campaign_.result.failures.back();
  // The replay knows places; an exit status has none, but may have said something.
  const bool has_place = entry.kind != report::kind(channel::Outcome::exited);
  const std::string& what = has_place ? confirmation.model.summary : entry.headline;
  const std::string& test = confirmation.model.test;
  const FailureRow row{entry.kind, test.empty() ? what : fmt::format("{}: {}", test, what),
                       entry.schedule_number, entry.folder};
  const size_t columns = screen().columns;
  return (failures == kShownInFull + 1 ? failure_table_title(columns) : "") +
         failure_line(row, columns);
}

void FoundFailures::show(const Confirmation& confirmation) {
  campaign_.progress.clear();
  const std::string text = shown_text(confirmation);
  if (campaign_.installation.fork_server) {
    check_report_ += text;
  } else {
    const bool in_full =
        campaign_.options.shown_before + campaign_.result.failures.size() <= kShownInFull;
    fmt::print(campaign_.text, "{}{}", text, in_full ? "\n" : "");
    std::fflush(campaign_.text);
  }
  if (confirmation.not_saved) note(confirmation.not_saved->message);
  if (confirmation.incomplete) note(confirmation.incomplete->message);
}

// The smallest schedule that a fresh process confirms: the minimised one, or the one that was
// found.
Result<Confirmation> FoundFailures::make_small_and_confirm(const Finding& finding,
                                                           const Search& search,
                                                           FailureEntry& entry) {
  const Screen look = screen();
  entry.preemptions = entry.preemptions_before = preemptions_of(finding.log);
  const std::chrono::nanoseconds time = time_to_minimize(search);
  skipped_minimizing_ = time.count() == 0 && campaign_.options.minimizing != 0 &&
                        why_not_minimized(finding.end).empty();
  if (time.count() == 0) return confirm(setup(), finding, look);
  campaign_.progress.clear();
  const Descriptor in = reopen(input_.file.get());
  LaunchPlan plan = campaign_.options.plan(campaign_.result.target);
  plan.in = in.get();
  plan.budget = campaign_.budget;
  channel::Config config = campaign_.options.config;
  campaign_.options.points.apply(config, plan);
  config.executor = search.executor;
  const std::string input = failing_input_;
  Result<Minimized> small = inputs_ ? minimize_with_input(plan, config, finding, time)
                                    : minimize(plan, config, finding, time, campaign_.installation);
  if (!small || !small->found) {
    if (small && !campaign_.options.quiet) note("not minimised: " + small->why_not);
    return confirm(setup(), finding, look);
  }
  if (finding.end.outcome == channel::Outcome::exited) {
    // With fewer preemptions it may fail with the same status for another reason.
    Finding& again = small->smallest;
    const Result<bool> listened = listen_to(again);
    if (!listened) return listened.error();
    if (!*listened || again.said_identity != finding.said_identity) {
      if (MaybeError error = use_input(input)) return *error;
      return confirm(setup(), finding, look);
    }
  }
  Result<Confirmation> answer = confirm(setup(), small->smallest, look, &*small);
  if (!answer || !(answer->confirmed || answer->suppressed || answer->out_of_time)) {
    if (MaybeError error = use_input(input)) return *error;
    return confirm(setup(), finding, look);
  }
  entry.preemptions = preemptions_of(small->smallest.log);
  return answer;
}

// A share of what is left, after what confirming it will take.
std::chrono::nanoseconds FoundFailures::time_to_minimize(const Search& search) const {
  const std::chrono::nanoseconds wanted(campaign_.options.minimizing);
  if (!campaign_.budget.limited()) return wanted;
  const auto confirming = kStart + search.one_run * kSlowdown;
  const auto share = campaign_.budget.share(search.waiting).left() - confirming;
  if (share >= wanted) return wanted;
  const auto least =
      std::max<std::chrono::nanoseconds>(kLeastMinimizing, search.one_run * kLeastRuns);
  return share < least ? std::chrono::nanoseconds(0) : share;
}

// What the program is given when a failure is minimised and confirmed.
MaybeError FoundFailures::use_input(const std::string& bytes) {
  if (!inputs_ || bytes == failing_input_) return std::nullopt;
  Result<StandardInput> input = input_of_bytes(bytes);
  if (!input) return input.error();
  input_ = std::move(*input);
  failing_input_ = bytes;
  return std::nullopt;
}

// The input gets smaller with the schedule; what is confirmed next is run with it.
Result<Minimized> FoundFailures::minimize_with_input(LaunchPlan plan, const channel::Config& config,
                                                     const Finding& finding,
                                                     std::chrono::nanoseconds time) {
  plan.in = -1;
  Result<MinimizedInTurn> small =
      minimize_in_turn(plan, config, finding, failing_input_, time, campaign_.installation);
  if (!small) return small.error();
  if (small->schedule.found) {
    if (MaybeError error = use_input(small->bytes)) return *error;
  }
  return std::move(small->schedule);
}

// Before the schedule: what is left out of the input need not be scheduled.
Result<Finding> FoundFailures::make_input_small(const Finding& finding, const Search& search) {
  const std::chrono::nanoseconds time = inputs_ ? time_to_minimize(search) : kStart * 0;
  if (time.count() == 0 || !why_not_minimized(finding.end).empty()) {
    return finding;
  }
  campaign_.progress.clear();
  LaunchPlan plan = campaign_.options.plan(campaign_.result.target);
  plan.budget = campaign_.budget;
  channel::Config config = campaign_.options.config;
  campaign_.options.points.apply(config, plan);
  Result<ShrunkInput> small =
      shrink_input(plan, config, finding, failing_input_, time, campaign_.installation);
  if (!small) return small.error();
  if (MaybeError error = use_input(small->bytes)) return *error;
  return small->finding;
}

bool FoundFailures::is_wanted(const Finding& finding) const {
  const bool noted = finding.end.outcome == channel::Outcome::race &&
                     !(campaign_.options.config.fail_on & channel::kCheckRace);
  return !noted && !seen_enough(finding);
}

// The schedule is kept as it is: whoever has the time may replay it.
MaybeError FoundFailures::keep_for_later(const Finding& finding, const Search& search,
                                         FailureEntry entry) {
  if (attempts_[finding.signature]++ != 0) return std::nullopt;
  entry.why_not = "there was no time left to replay it";
  entry.out_of_time = true;
  campaign_.result.unconfirmed.push_back(entry);
  report::Symbolizer symbols(report::modules(search.channel));
  Result<std::string> file = keep_unconfirmed(setup(), finding, symbols);
  if (!file) return file.error();
  not_confirmed_.push_back(*file);
  return std::nullopt;
}

Result<bool> FoundFailures::listen_to(Finding& finding) {
  if (finding.end.outcome != channel::Outcome::exited) return true;
  ++listened_[finding.signature];
  Result<Heard> heard = listen(setup(), finding);
  if (!heard) return heard.error();
  if (heard->words.identity.empty()) return !heard->out_of_time;
  finding.said_identity = heard->words.identity;
  finding.said = heard->words.text;
  finding.failed_check = heard->words.check;
  return true;
}

Result<bool> FoundFailures::is_known(const Finding& finding) {
  if (!places_.contains(place_of(finding.end)) && elsewhere_.empty()) return false;
  uint64_t identity = 0;
  if (finding.end.outcome == channel::Outcome::exited) {
    identity = exit_identity(setup(), finding);
  } else {
    Result<std::optional<uint64_t>> seen = identify(setup(), finding);
    if (!seen) return seen.error();
    identity = seen->value_or(0);
  }
  const bool is_ours = confirmed_.contains(identity) || told_before_.contains(identity);
  if (!is_ours && !elsewhere_.contains(identity)) return false;
  if (!is_ours) seen_elsewhere_.insert(identity);
  known_.insert(finding.signature);
  return true;
}

std::set<uint64_t> FoundFailures::seen() const {
  std::set<uint64_t> all = seen_elsewhere_;
  all.insert(confirmed_.begin(), confirmed_.end());
  return all;
}

void FoundFailures::knows(const channel::Failure& end, uint64_t identity) {
  places_.insert(place_of(end));
  told_before_.insert(identity);
}

MaybeError FoundFailures::take(const Finding& found, const Search& search) {
  Finding finding = found;
  if (finding.end.outcome == channel::Outcome::unsupported) {
    return Error{Exit::unsupported, report::summary(finding.end)};
  }
  if (finding.end.outcome == channel::Outcome::race &&
      !(campaign_.options.config.fail_on & channel::kCheckRace)) {
    races_.add(finding);
    return std::nullopt;
  }
  if (seen_enough(finding)) return std::nullopt;
  if (inputs_) {
    failing_input_ = inputs_->failing(finding.schedule_number);
    Result<StandardInput> input = input_of_bytes(failing_input_);
    if (!input) return input.error();
    input_ = std::move(*input);
  }
  FailureEntry entry{std::string(report::kind(finding.end)), report::summary(finding.end),
                     finding.schedule_number, finding.signature};
  // One of its looks is known: whether this is another one is worth some of the search's time.
  if (known_.contains(finding.signature) && campaign_.budget.search_is_over()) return std::nullopt;
  if (campaign_.budget.over()) return keep_for_later(finding, search, entry);
  const Result<bool> listened = listen_to(finding);
  if (!listened) return listened.error();
  if (!*listened) return keep_for_later(finding, search, entry);
  const Result<bool> known = is_known(finding);
  if (!known) return known.error();
  if (*known) return std::nullopt;
  if (!finding.said.empty()) entry.headline += ": " + finding.said;
  if (!finding.failed_check.empty()) entry.headline = finding.failed_check;
  Result<Finding> smaller = make_input_small(finding, search);
  if (!smaller) return smaller.error();
  Result<Confirmation> answer = make_small_and_confirm(*smaller, search, entry);
  if (!answer) return answer.error();
  if (answer->out_of_time) return keep_for_later(*smaller, search, entry);
  if (inputs_ && answer->confirmed && !answer->not_saved) {
    Result<AtomicFile> file = AtomicFile::open(answer->folder + "/" + kInputFileName);
    if (!file) return file.error();
    if (MaybeError error = file->commit(failing_input_)) return error;
  }
  if (answer->suppressed) {
    // From now on runs do not end there; the campaign goes on.
    search.hub.suppressed.insert(channel::race_key(finding.end.race[0], finding.end.race[1]));
    attempts_[finding.signature] = kAttemptsPerSignature;
    return std::nullopt;
  }
  entry.why = answer->why;
  entry.deadlock = taken_in_deadlock(answer->model);
  if (answer->confirmed) {
    known_.insert(finding.signature);
    places_.insert(place_of(finding.end));
    std::erase_if(campaign_.result.unconfirmed,
                  [&](const FailureEntry& e) { return e.signature == finding.signature; });
    if (told_before_.contains(answer->identity)) return std::nullopt;
    if (!confirmed_.insert(answer->identity).second) return std::nullopt;
    entry.signature = answer->identity;
    if (!answer->not_saved) entry.folder = answer->folder;
    if (answer->no_page) no_page_.push_back(answer->folder);
    if (skipped_minimizing_ && !answer->not_saved) not_minimized_.push_back(answer->folder);
    output_failed_ |= answer->not_saved.has_value();
    campaign_.result.failures.push_back(entry);
    if (campaign_.options.document.wanted()) models_.push_back(answer->model);
    show(*answer);
    return std::nullopt;
  }
  if (attempts_[finding.signature]++ == 0) {
    entry.why_not = answer->why_not;
    campaign_.result.unconfirmed.push_back(entry);
  }
  return std::nullopt;
}

// Those that are no failures, to races.txt and into the statistics.
MaybeError FoundFailures::list_races(bool leaves_files) {
  if (MaybeError error = races_.resolve(setup(), inputs_)) return error;
  campaign_.result.races = races_.groups();
  const std::string path = races_file();
  if (campaign_.result.races.empty() || !leaves_files) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // of an earlier campaign
    return std::nullopt;
  }
  Result<AtomicFile> file = AtomicFile::open(path);
  return file ? file->commit(races_.text()) : MaybeError(file.error());
}

Undone FoundFailures::undone(const std::string& again) const {
  Undone lines;
  if (!not_confirmed_.empty()) {
    lines.push_back(fmt::format("no time left to confirm {}: jostle replay {}",
                                report::count(not_confirmed_.size(), "failure"),
                                first_of(not_confirmed_)));
  }
  if (!not_minimized_.empty()) {
    lines.push_back(fmt::format("no time left to minimise {}: jostle minimize {}",
                                report::count(not_minimized_.size(), "failure"),
                                first_of(not_minimized_)));
  }
  if (!no_page_.empty()) {
    lines.push_back(fmt::format("no time left for the page of {}: jostle replay {} --format html",
                                report::count(no_page_.size(), "failure"), first_of(no_page_)));
  }
  if (races_.left() != 0) {
    lines.push_back(fmt::format("no time left to confirm {}: {}",
                                report::count(races_.left(), "data race"), again));
  }
  return lines;
}

std::string FoundFailures::brief_races() const {
  return campaign_.result.races.empty()
             ? ""
             : races_.brief(races_file(), terminal_columns(STDOUT_FILENO));
}

}  // namespace jostle::cli
