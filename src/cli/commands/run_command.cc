// SPDX-License-Identifier: Apache-2.0
// `jostle run`: one execution under one schedule; everything but the scheduling is as without us.
#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "src/cli/commands/commands.h"
#include "src/cli/findings/single_run.h"
#include "src/cli/options/checks.h"
#include "src/cli/options/command_line.h"
#include "src/cli/options/document.h"
#include "src/cli/options/event_options.h"
#include "src/cli/options/stop_points/stop_points.h"
#include "src/cli/options/strategy_start.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/values.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/standard_input.h"
#include "src/cli/target/target.h"
#include "src/report/formats/date.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/text/text_report.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr uint64_t kOneDay = uint64_t{86'400} * 1'000'000'000;

constexpr char kRunExamples[] =
    "  jostle run ./bank                       one random schedule\n"
    "  jostle run --seed 7 -- ./bank --fast    schedule 7: always the same\n"
    "  jostle run --strategy none ./bank       no preemption at all\n"
    "  jostle run --save run.json ./bank       for jostle replay run.json\n"
    "  jostle run --format sarif -o run.sarif ./bank\n"
    "The exit code is the program's (128+n for a signal), or 77 when it failed in a way that an\n"
    "exit code does not show (deadlock, livelock, limit, misuse, heap, a race if --fail-on race).";

struct RunOptions {
  channel::Config config = default_config(channel::Mode::run);
  bool seed_given = false, sync_only = false, core = false;
  std::string save;
  std::string schedule;  // file for the strategy to begin with
  DocumentOptions document;
  PointOptions point_options;
  CheckOptions check_options;
  EventOptions event_options;
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, RunOptions& options) {
  CommandLine line("jostle run", "[options] [--] program [arguments]",
                   "Runs the program once under a chosen schedule.", kRunExamples);
  line.value("--seed", "N", "which schedule (default: random)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto seed = parse_number(text);
               if (!seed) return "expected a whole number";
               options.config.seed = *seed;
               options.seed_given = true;
               return std::nullopt;
             });
  line.schedule_options(options.config);
  line.schedule_file(options.schedule);
  add_point_options(line, options.point_options);
  add_check_options(line, options.config, options.check_options);
  add_event_options(line, options.event_options);
  line.value("--save", "FILE", "keep the run for `jostle replay`, however it ends",
             [&](const std::string& text) -> std::optional<std::string> {
               options.save = text;
               return std::nullopt;
             });
  line.flag("--core", "a process that dies may leave a core behind, as far as ulimit -c allows",
            options.core);
  line.flag("--sync-only", "the program is not instrumented, and that is intended",
            options.sync_only);
  add_run_format_options(line, options.document);
  if (const auto done = line.parse(words)) return done;
  set_event_options(options.event_options, options.config);
  options.config.core = options.core ? 1 : 0;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle run [options] -- program [arguments]"});
  }
  if (MaybeError error = check_run_format(options.document)) return fail(*error);
  options.program = line.rest();
  // Nobody waits that long; but somebody has to look at loops without hooks.
  if (options.config.run_nanoseconds == 0) options.config.run_nanoseconds = kOneDay;
  if (!options.seed_given) options.config.seed = std::random_device{}() % 1'000'000;
  return std::nullopt;
}

// How to do the same run again.
report::ReportOptions again(const RunOptions& options) {
  report::ReportOptions format;
  if (!options.save.empty()) {
    format.replay_command = "jostle replay " + shell_quote(options.save);
    return format;
  }
  format.again_command = fmt::format(
      "jostle run --strategy {} --seed {}{}{} --", report::bounded(options.config.strategy),
      options.config.seed, options.point_options.typed(), typed_memory(options.event_options));
  for (const std::string& word : options.program) format.again_command += " " + shell_quote(word);
  return format;
}

Recording make_recording(const RunOptions& options, const Target& target, const Execution& run) {
  return {own_version(),
          record_program(target, {options.program.begin() + 1, options.program.end()}),
          record_inherited_input(),
          options.config,
          0,
          0,
          run.record().end,
          copy_schedule(run.record().schedule)};
}

MaybeError write_result(const RunOptions& options, const Execution& run, int code,
                        report::Diagnostics races) {
  if (!options.document.wanted() || run.interrupted) return std::nullopt;
  report::RunResult result =
      begin_result("run", options.program[0], {options.program.begin() + 1, options.program.end()});
  result.exit_code = code;
  result.warnings = std::move(races);
  if (!report::is_failure(run.record().end, true)) {
    return write_run_document(options.document, std::move(result), nullptr);
  }
  report::Symbolizer symbols(report::modules(*run.channel));
  report::Names names(run.record(), symbols);
  report::TraceModel model = report::build_trace_model(run.record(), symbols, names);
  const report::ReportOptions format = again(options);
  model.program = result.program;
  model.arguments = result.arguments;
  model.strategy = report::escape(report::bounded(options.config.strategy));
  model.seed = options.config.seed;
  model.found = report::now();
  model.replay_command =
      report::escape(format.replay_command.empty() ? format.again_command : format.replay_command);
  return write_run_document(options.document, std::move(result), &model);
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  RunOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<Target> target = examine_target(options.program[0]);
  if (!target) return fail(target.error());
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  Result<Suppressions> suppressions = Suppressions::load(options.check_options.suppressions);
  if (!suppressions) return fail(suppressions.error());
  std::optional<AtomicFile> file;
  if (!options.save.empty()) {
    Result<AtomicFile> opened = AtomicFile::open(options.save);
    if (!opened) return fail(opened.error());
    file.emplace(std::move(*opened));
  }
  if (!target->instrumented && !options.sync_only) note(not_instrumented_note(*target));
  Result<StrategyStart> start = load_strategy_start(options.config, options.schedule);
  if (!start) return fail(start.error());
  LaunchPlan plan{target->path, options.program};
  plan.prepare = [&](channel::Channel& channel) { start->store(channel); };
  if (options.document.on_stdout()) plan.out = STDERR_FILENO;
  Result<PointSetting> points = find_points(options.point_options, plan, *installation);
  if (!points) return fail(points.error());
  points->apply(options.config, plan);
  Result<Execution> run = execute(plan, options.config, nullptr, *installation);
  if (!run) return fail(run.error());
  if (file) {
    const MaybeError error =
        save_recording(make_recording(options, *target, *run), *run->channel, options.save, *file);
    if (error) return fail(*error);
  }
  const int concluded = conclude({*run->channel, run->status, run->interrupted}, again(options));
  const auto races = show_races(*run->channel, *suppressions);
  const bool counts = (options.config.fail_on & channel::kCheckRace) != 0;
  const bool fails = !races.empty() && counts;
  const int code = fails ? static_cast<int>(Exit::found) : concluded;
  if (MaybeError error = write_result(options, *run, code, race_diagnostics(races, counts)))
    return fail(*error);
  return code;
}

}  // namespace jostle::cli
