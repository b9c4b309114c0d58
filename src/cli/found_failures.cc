#include "src/cli/found_failures.h"

#include <fmt/format.h>

#include <filesystem>

#include "src/cli/input_shrinking.h"
#include "src/cli/minimizing_in_turn.h"
#include "src/report/failure.h"
#include "src/report/record_view.h"

namespace jostle::cli {
namespace {

// A finding that does not show again is tried with other schedules of the same looks this often.
constexpr int kAttemptsPerSignature = 3;

}  // namespace

FoundFailures::FoundFailures(Campaign campaign, StandardInput input, const FuzzInputs* inputs)
    : campaign_(campaign),
      input_(std::move(input)),
      inputs_(inputs),
      program_(record_program(campaign.result.target, campaign.result.arguments)) {
  program_.check = campaign.options.check;
}

bool FoundFailures::seen_enough(uint64_t signature) const {
  const auto attempts = attempts_.find(signature);
  return confirmed_.contains(signature) ||
         (attempts != attempts_.end() && attempts->second >= kAttemptsPerSignature);
}

void FoundFailures::show(const Confirmation& confirmation) {
  campaign_.progress.clear();
  if (campaign_.installation.fork_server) {
    check_report_ += confirmation.report;
  } else {
    fmt::print(campaign_.text, "{}\n", confirmation.report);
    std::fflush(campaign_.text);
  }
  if (confirmation.not_saved) note(confirmation.not_saved->message);
}

// The smallest schedule that a fresh process confirms: the minimised one, or the one that was
// found.
Result<Confirmation> FoundFailures::make_small_and_confirm(const Finding& finding,
                                                           channel::Executor executor,
                                                           FailureEntry& entry) {
  const bool colour = !campaign_.installation.fork_server && wants_colour(fileno(campaign_.text));
  entry.preemptions = entry.preemptions_before = preemptions_of(finding.log);
  if (campaign_.options.minimizing == 0) return confirm(setup(), finding, colour);
  campaign_.progress.clear();
  const Descriptor in = reopen(input_.file.get());
  LaunchPlan plan{campaign_.result.target.path, campaign_.options.program};
  plan.in = in.get();
  channel::Config config = campaign_.options.config;
  campaign_.options.points.apply(config, plan);
  config.executor = executor;
  const std::chrono::nanoseconds time(campaign_.options.minimizing);
  const std::string input = failing_input_;
  Result<Minimized> small = inputs_ ? minimize_with_input(plan, config, finding, time)
                                    : minimize(plan, config, finding, time, campaign_.installation);
  if (!small || !small->found) {
    if (small && !campaign_.options.quiet) note("not minimised: " + small->why_not);
    return confirm(setup(), finding, colour);
  }
  Result<Confirmation> answer = confirm(setup(), small->smallest, colour, &*small);
  if (!answer || !(answer->confirmed || answer->suppressed)) {
    if (MaybeError error = use_input(input)) return *error;
    return confirm(setup(), finding, colour);
  }
  entry.preemptions = preemptions_of(small->smallest.log);
  return answer;
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
Result<Finding> FoundFailures::make_input_small(const Finding& finding) {
  if (!inputs_ || campaign_.options.minimizing == 0 || !why_not_minimized(finding.end).empty()) {
    return finding;
  }
  campaign_.progress.clear();
  LaunchPlan plan{campaign_.result.target.path, campaign_.options.program};
  channel::Config config = campaign_.options.config;
  campaign_.options.points.apply(config, plan);
  Result<ShrunkInput> small =
      shrink_input(plan, config, finding, failing_input_,
                   std::chrono::nanoseconds(campaign_.options.minimizing), campaign_.installation);
  if (!small) return small.error();
  if (MaybeError error = use_input(small->bytes)) return *error;
  return small->finding;
}

MaybeError FoundFailures::take(const Finding& finding, channel::Executor executor, Hub& hub) {
  if (finding.end.outcome == channel::Outcome::unsupported) {
    return Error{Exit::unsupported, report::summary(finding.end)};
  }
  if (finding.end.outcome == channel::Outcome::race &&
      !(campaign_.options.config.fail_on & channel::kCheckRace)) {
    races_.add(finding);
    return std::nullopt;
  }
  if (seen_enough(finding.signature)) return std::nullopt;
  if (inputs_) {
    failing_input_ = inputs_->failing(finding.schedule_number);
    Result<StandardInput> input = input_of_bytes(failing_input_);
    if (!input) return input.error();
    input_ = std::move(*input);
  }
  FailureEntry entry{std::string(report::kind(finding.end)), report::summary(finding.end),
                     finding.schedule_number, finding.signature};
  Result<Finding> smaller = make_input_small(finding);
  if (!smaller) return smaller.error();
  Result<Confirmation> answer = make_small_and_confirm(*smaller, executor, entry);
  if (!answer) return answer.error();
  if (inputs_ && answer->confirmed && !answer->not_saved) {
    Result<AtomicFile> file = AtomicFile::open(answer->folder + "/" + kInputFileName);
    if (!file) return file.error();
    if (MaybeError error = file->commit(failing_input_)) return error;
  }
  if (answer->suppressed) {
    // From now on runs do not end there; the campaign goes on.
    hub.suppressed.insert(channel::race_key(finding.end.race[0], finding.end.race[1]));
    attempts_[finding.signature] = kAttemptsPerSignature;
    return std::nullopt;
  }
  entry.why = answer->why;
  if (answer->confirmed) {
    confirmed_.insert(finding.signature);
    if (!answer->not_saved) entry.folder = answer->folder;
    output_failed_ |= answer->not_saved.has_value();
    campaign_.result.failures.push_back(entry);
    if (campaign_.options.document.wanted()) models_.push_back(answer->model);
    std::erase_if(campaign_.result.unconfirmed,
                  [&](const FailureEntry& e) { return e.signature == finding.signature; });
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
MaybeError FoundFailures::list_races(const channel::Channel& channel, bool leaves_files) {
  report::Symbolizer symbols(report::modules(channel));
  if (MaybeError error = races_.resolve(setup(), campaign_.options.suppressions, symbols))
    return error;
  campaign_.result.races = races_.entries();
  const std::string path = races_file();
  if (campaign_.result.races.empty() || !leaves_files) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // of an earlier campaign
    return std::nullopt;
  }
  Result<AtomicFile> file = AtomicFile::open(path);
  return file ? file->commit(races_.text()) : MaybeError(file.error());
}

std::string FoundFailures::brief_races() const {
  return campaign_.result.races.empty() ? "" : races_.brief(races_file());
}

}  // namespace jostle::cli
