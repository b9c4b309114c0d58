// SPDX-License-Identifier: Apache-2.0
// `jostle replay`: the recorded schedule again, step by step, and a check that it ends the same
// way. Of a folder of findings: replay_folder.h.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "src/cli/campaign/progress_display.h"
#include "src/cli/commands/commands.h"
#include "src/cli/debugger/debugger.h"
#include "src/cli/findings/confirm.h"
#include "src/cli/findings/single_run.h"
#include "src/cli/options/checks.h"
#include "src/cli/options/command_line.h"
#include "src/cli/options/document.h"
#include "src/cli/recording/recorded_program.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/regression/replay_folder.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/support/values.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/harness.h"
#include "src/cli/target/standard_input.h"
#include "src/report/formats/date.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/run_trace.h"
#include "src/report/text/text_report.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::Outcome;

constexpr char kReplayExamples[] =
    "  jostle replay jostle-out/bank/assert-5d0c1f/replay.json\n"
    "  jostle replay jostle-out/bank/assert-5d0c1f          the folder will do\n"
    "  jostle replay FILE --format html -o report.html      the report as a page\n"
    "  jostle replay FILE --passing                         the schedule of its `why` that passes\n"
    "  jostle replay FILE --gdb                             stops where it fails; jostle threads,\n"
    "                                                       jostle thread N show every stack\n"
    "  jostle replay --harness ./fuzz_target crash-5d0c1f    what a fuzzer saved: docs/fuzzers.md\n"
    "  jostle replay FILE --gdb -- -batch -ex run -ex bt    gdb's own arguments\n"
    "  jostle replay regressions                            every finding in the folder, whatever\n"
    "                                                       was built since: docs/regressions.md\n"
    "  jostle replay jostle-out -t 20s --format json        more time for each; for a machine\n"
    "exit codes: 77 the failure showed again, 78 the run left the recording, 79 it followed but\n"
    "ended otherwise; of a folder 0 all fixed, 77 a failure is there, 78 none is, but some cannot\n"
    "be followed any more; all: docs/exit-codes.md";

struct ReplayOptions {
  std::string file;
  std::string harness;
  bool gdb = false, core = false, passing = false;
  ProgramChoice program{.may_be_rebuilt = true};
  std::vector<std::string> programs;  // of a folder there may be several
  uint64_t time = 0, schedules = 0;   // of a folder
  DocumentOptions document;
  std::vector<std::string> gdb_arguments;
  channel::Config checks = default_config(channel::Mode::replay);  // of it only these
  CheckOptions check_options;
};

std::optional<int> parse_options(const std::vector<std::string>& words, ReplayOptions& options) {
  CommandLine line("jostle replay", "[options] FILE|FOLDER [-- gdb arguments]",
                   "Runs a recorded schedule again and checks that it ends in the same way. Of a\n"
                   "folder of findings: tells which are fixed and which are still there.",
                   kReplayExamples);
  line.allow_options_everywhere();
  line.flag("--gdb", "run under gdb; without arguments for gdb, run to the failure", options.gdb);
  line.flag("--passing", "run the schedule that passes which `why` speaks of; exit 0 when it does",
            options.passing);
  line.value("--harness", "PROGRAM", "FILE is a fuzzer's artifact, and this is the harness",
             [&](const std::string& text) -> std::optional<std::string> {
               options.harness = text;
               return std::nullopt;
             });
  line.flag("--core", "a process that dies may leave a core behind, as far as ulimit -c allows",
            options.core);
  line.list("--program", "FILE",
            "run this program, whatever the replay file says; of a folder with several: for the "
            "findings of the same name (may be repeated)",
            [&](const std::string& text) -> MaybeError {
              options.program.path = text;
              options.programs.push_back(text);
              return std::nullopt;
            });
  line.flag("--force", "go on although the program has changed since", options.program.force);
  line.time_limit("-t,--time", "of a folder: search around each finding for so long (default 5s)",
                  options.time);
  line.limit("-n,--schedules", "of a folder: try at most so many schedules for each",
             options.schedules);
  add_run_format_options(line, options.document);
  add_check_options(line, options.checks, options.check_options);
  if (const auto done = line.parse(words)) return done;
  if (options.gdb && options.document.wanted()) {
    return fail({Exit::usage, "--gdb and --format do not go together"});
  }
  if (options.passing && (options.gdb || options.document.wanted() || !options.harness.empty())) {
    return fail({Exit::usage, "--passing stands alone: there is no failure to show"});
  }
  if (MaybeError error = check_run_format(options.document)) return fail(*error);
  if (line.operands().size() != 1) {
    return fail({Exit::usage, line.operands().empty()
                                  ? "no replay file given: jostle replay FILE"
                                  : "one replay file at a time: jostle replay FILE"});
  }
  if (!line.rest().empty() && !options.gdb) {
    return fail({Exit::usage, "arguments behind -- are for gdb: jostle replay FILE --gdb -- …"});
  }
  options.file = line.operands()[0];
  options.gdb_arguments = line.rest();
  return std::nullopt;
}

// What is meant for one finding only, or only for a folder of them.
MaybeError check_for_folder(const ReplayOptions& options, bool is_folder) {
  if (!is_folder) {
    if (options.time == 0 && options.schedules == 0) return std::nullopt;
    return Error{Exit::usage, "-t and -n are for a folder of findings: a replay is one run"};
  }
  if (options.gdb || options.core || options.passing) {
    return Error{Exit::usage,
                 fmt::format("--gdb, --core and --passing are for one finding, and {} is a folder "
                             "of findings: jostle replay FILE",
                             options.file)};
  }
  const Format format = options.document.format;
  if (options.document.wanted() && (format == Format::html || format == Format::trace)) {
    return Error{Exit::usage,
                 "a folder of findings is reported as text, json, junit, sarif or gcc"};
  }
  return std::nullopt;
}

// The steps that the recorded explanation speaks of, if this run has the same: a rebuilt program
// may do something else there.
std::vector<uint32_t> explained_steps(const Recording& recording, const report::RunTrace& trace) {
  if (trace.record().schedule.digest != recording.log.digest) return {};
  std::vector<uint32_t> steps = recording.why_steps;
  std::erase_if(steps, [&](uint32_t step) { return step >= trace.steps().size(); });
  return steps;
}

// Says what came of it; `problem` is what went wrong with the replay itself.
int judge(const Recording& recording, const Execution& run, const std::string& file,
          std::string& problem) {
  const channel::RunRecord& record = run.record();
  const auto fail = [&](const Error& error) {
    problem = error.message;
    return cli::fail(error);
  };
  if (run.interrupted) return static_cast<int>(Exit::interrupted);
  if (record.end.outcome == Outcome::diverged) {
    return fail({Exit::diverged, fmt::format("{}: the run left the recording {}", file,
                                             describe_divergence(*run.channel))});
  }
  // Saved before its end: then any end will do.
  const bool open_end = recording.failure.outcome == Outcome::running;
  if (!open_end && !report::same_failure(recording.failure, record.end)) {
    return fail(
        {Exit::not_reproduced,
         fmt::format("{}: the schedule was followed, but the run ended with {} instead of {}", file,
                     report::summary(record.end), report::summary(recording.failure))});
  }
  if (record.end.outcome == Outcome::exited && record.end.code == 0) {
    note(fmt::format("{}: followed to its end, {}", file,
                     open_end ? "then exit status 0" : "exit status 0 as recorded"));
    return static_cast<int>(Exit::ok);
  }
  report::Symbolizer symbols(report::modules(*run.channel));
  report::ReportOptions format;
  format.schedule_number = recording.schedule_number;
  format.strategy = report::bounded(recording.config.strategy);
  format.test = report::escape(recording.program.test);
  format.colour = wants_colour(STDERR_FILENO);
  format.columns = terminal_columns(STDERR_FILENO);
  if (!recording.why.empty()) {
    format.why.sentences = {report::escape(recording.why)};
    format.why.steps = explained_steps(recording, report::RunTrace(record));
  }
  if (recording.original) {
    format.preemptions_before = recording.original->preemptions;
    format.is_minimum = recording.original->is_minimum;
  }
  fmt::print(stderr, "\n{}", report::TextReport(record, symbols, format).text());
  return static_cast<int>(Exit::found);
}

MaybeError write_result(const ReplayOptions& options, const Recording& recording,
                        const Execution& run, int code, const std::string& problem,
                        report::Diagnostics races) {
  if (!options.document.wanted() || run.interrupted) return std::nullopt;
  report::RunResult result =
      begin_result("replay", recording.program.given, recording.program.arguments);
  result.exit_code = code;
  result.problem = report::escape(problem);
  result.warnings = std::move(races);
  if (code != static_cast<int>(Exit::found)) {
    return write_run_document(options.document, std::move(result), nullptr);
  }
  report::Symbolizer symbols(report::modules(*run.channel));
  report::Names names(run.record(), symbols);
  report::TraceLimits limits;
  const report::RunTrace trace(run.record());
  for (const uint32_t step : explained_steps(recording, trace)) {
    limits.explained.insert(trace.entry_of(step));
  }
  report::TraceModel model = report::build_trace_model(run.record(), symbols, names, limits);
  model.program = result.program;
  model.arguments = result.arguments;
  model.test = report::escape(recording.program.test);
  model.strategy = report::escape(report::bounded(recording.config.strategy));
  model.schedule_number = recording.schedule_number;
  model.seed = recording.config.seed;
  model.replayed = report::now();
  model.signature = recording.identity != 0 ? recording.identity : recording.signature;
  model.replay_command = report::escape("jostle replay " + shell_quote(options.file));
  model.explanation = report::escape(recording.why);
  if (recording.original) model.minimised_from = recording.original->preemptions;
  return write_run_document(options.document, std::move(result), &model);
}

std::string beside(const std::string& file, const char* name) {
  std::error_code error;
  const std::filesystem::path path(file);
  return (std::filesystem::is_directory(path, error) ? path : path.parent_path()) / name;
}

// The schedule that passes which the explanation speaks of: this one with a change, or another.
int replay_passing(const std::string& file, const Recording& recording, const LaunchPlan& plan,
                   const Installation& installation) {
  channel::Config config = recording.config;
  ScheduleLog log = recording.log;
  if (recording.passes_with == kPassingFileName) {
    Result<Recording> other = load_replay_file(beside(file, kPassingFileName));
    if (!other) return fail(other.error());
    log = std::move(other->log);
    prepare_replay(config, other->failure);
  } else if (read_claim(recording.passes_with)) {
    prepare_change(config, recording.passes_with);
  } else {
    return fail({Exit::not_reproduced, file + ": no schedule that passes is known to its `why`"});
  }
  Result<Execution> run = execute(plan, config, &log, installation);
  if (!run) return fail(run.error());
  if (run->interrupted) return static_cast<int>(Exit::interrupted);
  const channel::Failure& end = run->record().end;
  if (end.outcome != Outcome::exited || report::is_failure(end, config.any_exit_code_ok == 0)) {
    return fail({Exit::not_reproduced,
                 fmt::format("{}: that run, too, ends with {}", file, report::summary(end))});
  }
  note(fmt::format("{}: that run passes", file));
  return static_cast<int>(Exit::ok);
}

int replay_artifact(const ReplayOptions& options) {
  if (options.gdb) {
    return fail(
        {Exit::usage,
         "--harness and --gdb do not go together (jostle run --save FILE, then replay it)"});
  }
  Result<std::vector<std::string>> words = harness_words(options.harness, options.file);
  if (!words) return fail(words.error());
  if (!options.document.file.empty()) {
    words->insert(words->begin(), {"--output", options.document.file});
  }
  if (options.document.wanted()) {
    words->insert(words->begin(), {"--format", std::string(format_name(options.document.format))});
  }
  return harness_result(run_command(*words), options.file);
}

}  // namespace

int replay_command(const std::vector<std::string>& words) {
  ReplayOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  if (!options.harness.empty()) return replay_artifact(options);
  Result<Suppressions> suppressions = Suppressions::load(options.check_options.suppressions);
  if (!suppressions) return fail(suppressions.error());
  Result<std::optional<FindingFolder>> folder = find_folder_of_findings(options.file);
  if (!folder) return fail(folder.error());
  if (MaybeError error = check_for_folder(options, folder->has_value())) return fail(*error);
  if (*folder) {
    RegressionOptions how{.programs = options.programs,
                          .schedules = options.schedules,
                          .checks = options.checks,
                          .volatile_atomic = options.check_options.volatile_atomic};
    if (options.time != 0) {
      how.time = std::chrono::nanoseconds(static_cast<int64_t>(options.time));
    }
    return replay_folder(**folder, std::move(how), *suppressions, options.document);
  }
  Result<Recording> recording = load_replay_file(options.file);
  if (!recording) return fail(recording.error());
  Result<FoundProgram> program = find_recorded_program(recording->program, options.program);
  if (!program) return fail(program.error());
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  Result<Descriptor> input = open_recorded(recording->input);
  if (!input) return fail(input.error());
  LaunchPlan plan = plan_recorded(*recording, *program);
  plan.in = input->get();
  if (options.document.on_stdout()) plan.out = STDERR_FILENO;
  recording->config.checks = options.checks.checks;
  if (const auto& said = options.check_options.volatile_atomic) {
    recording->config.volatile_atomic = *said;
  }
  recording->config.core = options.core ? 1 : 0;
  prepare_replay(recording->config, recording->failure);
  if (options.gdb) {
    return fail(become_debugger(plan, recording->config, recording->log, *installation,
                                options.gdb_arguments));
  }
  plan.stops = library_code(plan, *installation);
  if (options.passing) return replay_passing(options.file, *recording, plan, *installation);
  Result<Execution> run = execute(plan, recording->config, &recording->log, *installation);
  if (!run) return fail(run.error());
  std::string problem;
  int code = judge(*recording, *run, options.file, problem);
  report::Diagnostics warnings;
  if (run->record().end.outcome != Outcome::race) {
    const auto races = show_races(*run->channel, *suppressions);
    const bool counts = (options.checks.fail_on & channel::kCheckRace) != 0;
    const bool fails = counts && !races.empty();
    if (fails && code == static_cast<int>(Exit::ok)) code = static_cast<int>(Exit::found);
    warnings = race_diagnostics(races, counts);
  }
  if (MaybeError error = write_result(options, *recording, *run, code, problem, warnings)) {
    return fail(*error);
  }
  return code;
}

}  // namespace jostle::cli
