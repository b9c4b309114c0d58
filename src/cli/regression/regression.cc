// SPDX-License-Identifier: Apache-2.0
#include "src/cli/regression/regression.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>

#include "src/cli/campaign/workers.h"
#include "src/cli/findings/last_words.h"
#include "src/cli/recording/recorded_program.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/regression/around.h"
#include "src/cli/regression/by_names.h"
#include "src/cli/regression/seen_failure.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/support/values.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/standard_input.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::Outcome;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

// Each run that follows names gets one more switch right, at least; after so many without an end
// there is none.
constexpr int kMostRunsByNames = 8;
// The neighbourhood of a schedule is small: after so many mutations of it any schedule will do.
constexpr uint64_t kMutations = 10'000;
constexpr nanoseconds kLeastSearch = std::chrono::milliseconds(50);
// Findings that look the same and are replayed; those of an exit status may differ in what they
// say.
constexpr int kMostReplays = 2, kMostReplaysOfExits = 16;

// Of such a run it is not known what it would have done.
bool is_no_end(Outcome outcome) {
  return outcome == Outcome::running || outcome == Outcome::unsupported ||
         outcome == Outcome::stopped || outcome == Outcome::cut_off;
}

class OneRegression {
 public:
  OneRegression(const Recording& recording, bool is_rebuilt, LaunchPlan plan, Descriptor input,
                const RegressionOptions& options, const Suppressions& suppressions,
                const Installation& installation, SignalWatch& signals, Regression& result)
      : recording_(recording),
        is_rebuilt_(is_rebuilt),
        plan_(std::move(plan)),
        input_(std::move(input)),
        options_(options),
        suppressions_(suppressions),
        installation_(installation),
        signals_(signals),
        result_(result),
        budget_(options.time),
        search_end_(Clock::now() + options.time) {
    plan_.own_group = true;
  }

  void judge() {
    if (MaybeError error = follow_recording()) return give_up(error->message);
    if (is_decided()) return;
    if (MaybeError error = follow_names()) return give_up(error->message);
    if (is_decided()) return;
    MaybeError error = search("mutate", &log_, kMutations, 2);
    if (!error && !is_decided()) error = search("portfolio", nullptr, 0, 1);
    if (!is_decided()) conclude(error);
  }

 private:
  bool is_decided() const { return decided_ || result_.interrupted; }

  void give_up(const std::string& reason) {
    decided_ = true;
    result_.verdict = Verdict::not_followed;
    result_.reason = reason;
  }

  channel::Config config() const;
  Result<HeardRun> run(const channel::Config& config, const ScheduleLog& log, const Budget& budget);
  // Takes note of a failure; the same one ends it all.
  void take(std::optional<SeenFailure> seen, FoundBy by, uint64_t schedules);
  void show(Verdict verdict, const SeenFailure& seen, FoundBy by, uint64_t schedules);
  bool ended(const HeardRun& ran);
  MaybeError follow_recording();
  MaybeError follow_names();
  bool refuses_to_start(const HeardRun& ran);
  MaybeError search(const char* strategy, const ScheduleLog* from, uint64_t most, int share);
  MaybeError confirm_found(const Finding& finding, uint64_t before);
  void conclude(const MaybeError& error);

  const Recording& recording_;
  const bool is_rebuilt_;
  LaunchPlan plan_;
  Descriptor input_;
  const RegressionOptions& options_;
  const Suppressions& suppressions_;
  const Installation& installation_;
  SignalWatch& signals_;
  Regression& result_;
  const Budget budget_;
  const Clock::time_point search_end_;
  bool decided_ = false;
  bool came_to_an_end_ = false;  // a run of the program
  bool had_no_time_ = false;     // to follow names as far as they go
  ScheduleLog log_;              // by names
  std::vector<std::string> missing_;
  std::optional<SeenFailure> other_;  // the first failure that is another one
  FoundBy other_by_ = FoundBy::recording;
  uint64_t other_at_ = 0;
  std::map<uint64_t, int> replays_;  // by signature
};

// The recorded settings; what the recording does not have, as a campaign has it.
channel::Config OneRegression::config() const {
  channel::Config config = recording_.config;
  config.workers = 1;
  config.first_schedule = 1;
  config.record = 1;
  config.checks = options_.checks.checks;
  config.fail_on = options_.checks.fail_on;
  config.file_care = channel::FileCare::restore;
  if (options_.volatile_atomic) config.volatile_atomic = *options_.volatile_atomic;
  const channel::Failure& failure = recording_.failure;
  expect_failure(config, failure);
  if (failure.outcome == Outcome::timed_out) {
    // That it does not end shows in a part of the time, too.
    const auto most = static_cast<uint64_t>(options_.time.count() / 4);
    config.run_nanoseconds =
        config.run_nanoseconds == 0 ? most : std::min(config.run_nanoseconds, most);
  }
  return config;
}

Result<HeardRun> OneRegression::run(const channel::Config& config, const ScheduleLog& log,
                                    const Budget& budget) {
  const Descriptor output(memfd_create("jostle-output", MFD_CLOEXEC));
  const Descriptor errors(memfd_create("jostle-errors", MFD_CLOEXEC));
  const Descriptor input = reopen(input_.get());
  LaunchPlan plan = plan_;
  plan.in = input.get();
  plan.out = output.get();
  plan.err = errors.get();
  plan.budget = budget;
  plan.stops = library_code(plan, installation_);
  Result<Execution> execution = execute(plan, config, &log, installation_);
  if (!execution) return execution.error();
  if (execution->interrupted) result_.interrupted = true;
  return HeardRun{std::move(*execution), written_to(output.get()), written_to(errors.get())};
}

bool OneRegression::ended(const HeardRun& ran) {
  if (ran.execution.interrupted || ran.execution.out_of_time) return false;
  const Outcome outcome = ran.record().end.outcome;
  came_to_an_end_ = came_to_an_end_ || !(outcome == Outcome::diverged || is_no_end(outcome));
  return true;
}

void OneRegression::take(std::optional<SeenFailure> seen, FoundBy by, uint64_t schedules) {
  if (!seen) return;
  if (!seen->is_same) {
    if (other_) return;
    other_ = std::move(seen);
    other_by_ = by;
    other_at_ = schedules;
    return;
  }
  decided_ = true;
  show(Verdict::still_there, *seen, by, schedules);
}

void OneRegression::show(Verdict verdict, const SeenFailure& seen, FoundBy by, uint64_t schedules) {
  result_.verdict = verdict;
  result_.found_by = by;
  result_.schedules = schedules;
  result_.seen = seen.text;
  result_.seen_identity = seen.identity;
  result_.at = seen.at;
  result_.end = seen.end;
}

MaybeError OneRegression::follow_recording() {
  channel::Config strict = config();
  prepare_replay(strict, recording_.failure);
  Result<HeardRun> ran = run(strict, recording_.log, budget_);
  if (!ran) return ran.error();
  ++result_.schedules;
  if (!ended(*ran)) return std::nullopt;
  std::optional<SeenFailure> seen = failure_of(*ran, recording_, suppressions_);
  // Of the same build the end says it, also where the source has been edited since.
  if (seen && !is_rebuilt_ && report::same_failure(recording_.failure, seen->end)) {
    seen->is_same = true;
  }
  take(std::move(seen), FoundBy::recording, result_.schedules);
  return std::nullopt;
}

// Arguments that it does not take any more, a file that is not there: it never comes to the
// schedule.
bool OneRegression::refuses_to_start(const HeardRun& ran) {
  const channel::RunRecord& record = ran.record();
  if (recording_.log.threads.size() < 2 || record.schedule.thread_count > 1) return false;
  const std::optional<SeenFailure> seen = failure_of(ran, recording_, suppressions_);
  if (!seen || seen->is_same || record.end.outcome != Outcome::exited) return false;
  give_up(fmt::format("the program ends before it starts a thread: {}", seen->text));
  return true;
}

MaybeError OneRegression::follow_names() {
  channel::Config loose = config();
  loose.mode = channel::Mode::run;
  loose.has_input = 1;
  loose.expected_end = static_cast<uint32_t>(Outcome::exited);
  set_strategy(loose, "replay");
  const Budget budget = budget_.within(options_.time / 2);
  log_ = by_numbers(recording_);
  bool settled = false;
  for (int i = 0; i < kMostRunsByNames && !settled; ++i) {
    Result<HeardRun> ran = run(loose, log_, budget);
    if (!ran) return ran.error();
    had_no_time_ = ran->execution.out_of_time;
    if (!ended(*ran)) break;
    ++result_.schedules;
    if (ran->record().end.outcome == Outcome::unsupported) {
      return Error{Exit::unsupported, report::summary(ran->record().end)};
    }
    if (refuses_to_start(*ran)) return std::nullopt;
    take(failure_of(*ran, recording_, suppressions_), FoundBy::names, result_.schedules);
    if (decided_) return std::nullopt;
    ByNames next = by_names(recording_, ran->execution);
    settled = same_segments(next.log, log_);
    log_ = std::move(next.log);
    missing_ = std::move(next.missing);
  }
  return std::nullopt;
}

// `from`: the schedule to begin with. `share`: of the time that is left.
MaybeError OneRegression::search(const char* strategy, const ScheduleLog* from, uint64_t most,
                                 int share) {
  const nanoseconds time = (search_end_ - Clock::now()) / share;
  if (time < kLeastSearch) return std::nullopt;
  channel::Config search = config();
  search.mode = channel::Mode::fuzz;
  search.record = 0;
  search.keep_going = 1;
  search.max_nanoseconds = static_cast<uint64_t>(time.count());
  search.max_schedules = most;
  if (options_.schedules != 0) {
    if (result_.schedules >= options_.schedules) return std::nullopt;
    const uint64_t left = options_.schedules - result_.schedules;
    search.max_schedules = most == 0 ? left : std::min(most, left);
  }
  set_strategy(search, strategy);
  LaunchPlan plan = plan_;
  const Descriptor input = reopen(input_.get());
  plan.in = input.get();
  ScheduleLog start = from ? *from : ScheduleLog{};
  start.draws = recording_.log.draws;
  plan.prepare = [&](channel::Channel& channel) {
    channel.config.has_input = from != nullptr || !start.draws.empty() ? 1 : 0;
    store_for_target(start, channel);
  };
  Result<SharedHub> hub = create_hub();
  if (!hub) return hub.error();
  Result<Workers> campaign =
      Workers::start(plan, search, installation_, std::move(*hub), search.workers);
  if (!campaign) return campaign.error();
  const uint64_t before = result_.schedules;
  for (bool running = true; running;) {
    Result<bool> stepped = campaign->step(signals_);
    if (!stepped) return stepped.error();
    running = *stepped;
    while (std::optional<Finding> finding = campaign->next_finding()) {
      if (is_decided()) break;
      campaign->pause();  // the files of its runs are those of the replay
      MaybeError error = confirm_found(*finding, before);
      campaign->go_on_running();
      if (error) return error;
      if (is_decided()) campaign->stop();
    }
  }
  const Totals totals = campaign->totals();
  if (campaign->interrupted()) result_.interrupted = true;
  for (size_t i = 0; i < totals.outcomes.size(); ++i) {
    const bool some = totals.outcomes[i] != 0;
    came_to_an_end_ = came_to_an_end_ || (some && !is_no_end(static_cast<Outcome>(i)));
  }
  if (decided_) return std::nullopt;
  result_.schedules += totals.schedules;
  result_.all_schedules = campaign->stop_reason() == channel::StopReason::exhausted &&
                          totals.exploration.finished && totals.exploration.everything;
  return std::nullopt;
}

MaybeError OneRegression::confirm_found(const Finding& finding, uint64_t before) {
  const bool exited = finding.end.outcome == Outcome::exited;
  int& replays = replays_[finding.signature];
  if (finding.role != channel::FindingRole::failure || budget_.over() ||
      replays >= (exited ? kMostReplaysOfExits : kMostReplays)) {
    return std::nullopt;
  }
  ++replays;
  channel::Config strict = config();
  prepare_replay(strict, finding.end);
  Result<HeardRun> ran = run(strict, finding.log, budget_);
  if (!ran) return ran.error();
  if (!ended(*ran) || !report::same_failure(finding.end, ran->record().end)) return std::nullopt;
  take(failure_of(*ran, recording_, suppressions_), FoundBy::search,
       before + finding.schedule_number);
  return std::nullopt;
}

void OneRegression::conclude(const MaybeError& error) {
  if (other_) {
    show(Verdict::another_failure, *other_, other_by_, other_at_);
  } else if (error) {
    give_up(error->message);
  } else if (!came_to_an_end_) {
    give_up(fmt::format("no run came to its end within {} (more: -t)",
                        report::duration(options_.time)));
  } else if (!missing_.empty()) {
    give_up(fmt::format("{}; {}, no failure", fmt::join(missing_, ", "),
                        report::count(result_.schedules, "schedule")));
  } else if (had_no_time_) {
    give_up("there was no time to follow it (more: -t)");
  } else {
    result_.verdict = Verdict::fixed;
  }
}

// What a person types next.
std::string shown_by(const Regression& regression, const RecordedProgram& program,
                     const Target& target, bool is_named) {
  if (!regression.fails()) return {};
  const std::string file = shell_quote(regression.file);
  const bool is_recorded =
      regression.verdict == Verdict::still_there && regression.found_by == FoundBy::recording;
  if (is_recorded) {
    return fmt::format("jostle replay {}{}", file,
                       is_named ? " --program " + shell_quote(target.path) : "");
  }
  if (!program.check.empty()) return {};  // it is found by running the program
  std::string text = fmt::format("jostle fuzz --strategy mutate --from {} -- {}", file,
                                 shell_quote(is_named ? target.path : target.given));
  for (const std::string& argument : program.arguments) text += " " + shell_quote(argument);
  return text;
}

// The one that the user named, if it is meant for this recording.
std::string program_for(const RecordedProgram& program, const RegressionOptions& options) {
  if (options.for_all) return options.programs.front();
  for (const std::string& path : options.programs) {
    if (report::base_name(path) == report::base_name(program.given)) return path;
  }
  return {};
}

void try_recording(const Recording& recording, const RegressionOptions& options,
                   const Suppressions& suppressions, const Installation& installation,
                   SignalWatch& signals, Regression& result) {
  result.program = recording.program.given;
  result.kind = report::kind(recording.failure);
  result.failure =
      recording.summary.empty() ? report::summary(recording.failure) : recording.summary;
  result.identity = recording.identity;
  if (!report::is_failure(recording.failure, true)) {
    result.is_finding = false;
    return;
  }
  if (recording.input.kind == RecordedInput::Kind::inherit) {
    result.reason = "its standard input could not be recorded";
    return;
  }
  const ProgramChoice choice{.path = program_for(recording.program, options),
                             .force = true,
                             .may_be_rebuilt = true,
                             .quiet = true};
  Result<FoundProgram> program = find_recorded_program(recording.program, choice);
  if (!program) {
    result.reason = program.error().message;
    return;
  }
  Result<Descriptor> input = open_recorded(recording.input);
  if (!input) {
    result.reason = input.error().message;
    return;
  }
  LaunchPlan plan = plan_recorded(recording, *program);
  const bool is_rebuilt = !is_same_program(recording.program, program->target);
  OneRegression(recording, is_rebuilt, std::move(plan), std::move(*input), options, suppressions,
                installation, signals, result)
      .judge();
  result.shown_by = shown_by(result, recording.program, program->target, !choice.path.empty());
}

}  // namespace

Regression try_regression(const std::string& file, const RegressionOptions& options,
                          const Suppressions& suppressions, const Installation& installation,
                          SignalWatch& signals) {
  const Clock::time_point started = Clock::now();
  Regression result;
  result.file = file;
  Result<Recording> recording = load_replay_file(file);
  if (recording) {
    try_recording(*recording, options, suppressions, installation, signals, result);
  } else {
    result.reason = recording.error().message;
  }
  result.elapsed = Clock::now() - started;
  return result;
}

}  // namespace jostle::cli
