// SPDX-License-Identifier: Apache-2.0
#include "src/cli/regression/around.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>

#include "src/cli/recording/recorded_program.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/regression/by_names.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/support/values.h"
#include "src/cli/target/execution.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/text.h"
#include "src/schedule/starvation.h"

namespace jostle::cli {
namespace {

using channel::Outcome;

// Each run that follows names gets one more switch right, at least.
constexpr int kMostRuns = 8;

bool loses_memory(const channel::Failure& failure) {
  return failure.outcome == Outcome::heap_error &&
         report::bounded(failure.message).find("leak") != std::string_view::npos;
}

bool has_taken(const ScheduleLog& log, ChoiceKind kind) {
  return std::ranges::any_of(log.choices, [kind](const channel::Choice& choice) {
    return choice.kind == kind && choice.picked != 0;
  });
}

// Where it is now, and its arguments, if the user does not say.
MaybeError find_program_around(FuzzOptions& options, const Recording& recording) {
  const RecordedProgram& program = recording.program;
  if (options.program.empty()) {
    Result<FoundProgram> found =
        find_recorded_program(program, {.may_be_rebuilt = true, .quiet = true});
    if (!found && found.error().code == Exit::program_changed) {
      return Error{Exit::program_changed,
                   fmt::format("{} was not built with jostle: name it if it is to run (jostle "
                               "verify --around {} -- {})",
                               report::escape(program.absolute), options.around->file,
                               report::escape(shell_quote(program.absolute)))};
    }
    if (!found) return found.error();
    std::error_code error;
    const bool is_here =
        found->moved || std::filesystem::equivalent(program.given, program.absolute, error);
    options.program = {is_here ? program.given : program.absolute};
    options.directory = plan_recorded(recording, *found).directory;
  }
  if (options.program.size() == 1) {
    options.program.insert(options.program.end(), program.arguments.begin(),
                           program.arguments.end());
  }
  return std::nullopt;
}

void use_settings(const Recording& recording, channel::Config& config) {
  const channel::Config& recorded = recording.config;
  config.any_exit_code_ok |= recorded.any_exit_code_ok;
  for (size_t i = 0; i < std::size(config.exit_codes_ok); ++i) {
    config.exit_codes_ok[i] |= recorded.exit_codes_ok[i];
  }
  config.clock_start = recorded.clock_start;
  if (has_taken(recording.log, ChoiceKind::fault)) config.io_faults = 1;
  config.volatile_atomic |= recorded.volatile_atomic;
  if (has_taken(recording.log, ChoiceKind::spurious) ||
      has_taken(recording.log, ChoiceKind::fails)) {
    config.spurious = channel::SpuriousWakeups::always;
  }
  expect_failure(config, recording.failure);
}

// What the recorded run did that this search does not do.
std::vector<std::string> beyond_search(const FuzzOptions& options, const ScheduleLog& log) {
  std::vector<std::string> list;
  if (has_taken(log, ChoiceKind::stale) || has_taken(log, ChoiceKind::place)) {
    list.push_back("it reads old values (--memory=c11)");
  }
  if (!options.config.any_time_outs &&
      (has_taken(log, ChoiceKind::time) || has_taken(log, ChoiceKind::sleep))) {
    list.push_back("a time-out strikes in it while others can go on (--time-outs=any)");
  }
  if (has_taken(log, ChoiceKind::held_up)) list.push_back("an event loop is late in it");
  if (options.config.spurious != channel::SpuriousWakeups::always &&
      has_taken(log, ChoiceKind::spurious)) {
    list.push_back("a wait ends without a signal in it");
  }
  if (options.config.spurious != channel::SpuriousWakeups::always &&
      has_taken(log, ChoiceKind::fails)) {
    list.push_back("a compare_exchange_weak fails without a reason in it");
  }
  return list;
}

// The numbers of its switches in the program of today, and what that does not have.
Result<ByNames> follow_names(const FuzzOptions& options, const Target& target, int input,
                             const Installation& installation) {
  const Recording& recording = options.around->recording;
  channel::Config config = recording.config;
  config.mode = channel::Mode::run;
  config.workers = 1;
  config.first_schedule = 1;
  config.record = 1;
  config.has_input = 1;
  config.file_care = channel::FileCare::restore;
  config.run_nanoseconds = options.config.run_nanoseconds;
  config.expected_end = static_cast<uint32_t>(Outcome::exited);
  set_strategy(config, "replay");
  const Descriptor nowhere(memfd_create("jostle-output", MFD_CLOEXEC));
  ByNames found{by_numbers(recording)};
  for (int i = 0; i < kMostRuns; ++i) {
    const Descriptor own_input = reopen(input);
    LaunchPlan plan = options.plan(target);
    plan.own_group = true;
    plan.in = own_input.get();
    plan.out = plan.err = nowhere.get();
    plan.stops = library_code(plan, installation);
    Result<Execution> run = execute(plan, config, &found.log, installation);
    if (!run) return run.error();
    if (run->interrupted) return Error{Exit::interrupted, "interrupted"};
    ByNames next = by_names(recording, *run);
    const bool is_settled = same_segments(next.log, found.log);
    found = std::move(next);
    if (is_settled) break;
  }
  return found;
}

}  // namespace

void expect_failure(channel::Config& config, const channel::Failure& failure) {
  if (failure.outcome == Outcome::race) {
    config.checks |= channel::kCheckRace;
    config.fail_on |= channel::kCheckRace;
  }
  if (loses_memory(failure)) config.checks |= channel::kCheckLeak;
  if (channel::is_starvation(failure)) {
    config.checks |= channel::kCheckStarvation;
    config.starvation_limit = static_cast<uint32_t>(failure.code);
  }
  if (failure.outcome == Outcome::step_limit) config.limits_fail |= channel::kLimitSteps;
  if (failure.outcome == Outcome::timed_out) config.limits_fail |= channel::kLimitTime;
}

MaybeError load_around(FuzzOptions& options) {
  Result<Recording> recording = load_replay_file(options.around->file);
  if (!recording) return recording.error();
  if (!recording->program.check.empty()) {
    return Error{Exit::usage, fmt::format("{} is of a check inside a program: --around is for "
                                          "whole programs",
                                          options.around->file)};
  }
  if (recording->input.kind == RecordedInput::Kind::inherit) {
    return Error{Exit::usage,
                 fmt::format("{}: its standard input could not be recorded", options.around->file)};
  }
  if (MaybeError error = find_program_around(options, *recording)) return error;
  use_settings(*recording, options.config);
  options.around->is_failure = report::is_failure(recording->failure, true);
  options.around->summary =
      recording->summary.empty() ? report::summary(recording->failure) : recording->summary;
  options.around->recording = std::move(*recording);
  return std::nullopt;
}

Result<StandardInput> input_around(const FuzzOptions& options) {
  Result<Descriptor> file = open_recorded(options.around->recording.input);
  if (!file) return file.error();
  StandardInput input;
  input.file = std::move(*file);
  input.is_file = options.around->recording.input.kind == RecordedInput::Kind::bytes;
  return input;
}

Result<StrategyStart> start_around(FuzzOptions& options, const Target& target, int input,
                                   const Installation& installation) {
  const Recording& recording = options.around->recording;
  options.around->not_followed = beyond_search(options, recording.log);
  StrategyStart start;
  if (is_same_program(recording.program, target)) {
    start.schedule = by_numbers(recording);
  } else {
    Result<ByNames> followed = follow_names(options, target, input, installation);
    if (!followed) return followed.error();
    start.schedule = std::move(followed->log);
    options.around->is_rebuilt = true;
    for (std::string& missing : followed->missing) {
      options.around->not_followed.push_back(std::move(missing));
    }
  }
  start.schedule->draws = recording.log.draws;
  if (options.config.spurious != channel::SpuriousWakeups::always) {
    std::erase_if(start.schedule->choices, [](const channel::Choice& choice) {
      return choice.kind == ChoiceKind::spurious || choice.kind == ChoiceKind::fails;
    });
  }
  return start;
}

}  // namespace jostle::cli
