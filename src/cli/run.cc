// `jostle run`: one execution under one schedule; everything but the scheduling is as without us.
#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <random>

#include "src/cli/command_line.h"
#include "src/cli/commands.h"
#include "src/cli/execution.h"
#include "src/cli/files.h"
#include "src/cli/progress.h"
#include "src/cli/replay_file.h"
#include "src/cli/standard_input.h"
#include "src/cli/stop_points.h"
#include "src/cli/target.h"
#include "src/cli/values.h"
#include "src/report/failure.h"
#include "src/report/record_view.h"
#include "src/report/text.h"
#include "src/report/text_report.h"

namespace jostle::cli {
namespace {

using channel::Outcome;

constexpr char kExamples[] =
    "  jostle run ./bank                       one random schedule\n"
    "  jostle run --seed 7 -- ./bank --fast    schedule 7: always the same\n"
    "  jostle run --strategy none ./bank       no preemption at all\n"
    "  jostle run --save run.json ./bank       for jostle replay run.json\n"
    "The exit code is the program's (128+n for a signal), or 77 when it failed in a way that an\n"
    "exit code does not show (deadlock, livelock, limit, misuse).";

struct RunOptions {
  channel::Config config = default_config(channel::Mode::run);
  bool seed_given = false, sync_only = false;
  std::string save;
  PointOptions point_options;
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, RunOptions& options) {
  CommandLine line("jostle run", "[options] [--] program [arguments]",
                   "Runs the program once under a chosen schedule.", kExamples);
  line.value("--seed", "N", "which schedule (default: random)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto seed = parse_number(text);
               if (!seed) return "expected a whole number";
               options.config.seed = *seed;
               options.seed_given = true;
               return std::nullopt;
             });
  line.schedule_options(options.config);
  add_point_options(line, options.point_options);
  line.value("--save", "FILE", "keep the run for `jostle replay`, however it ends",
             [&](const std::string& text) -> std::optional<std::string> {
               options.save = text;
               return std::nullopt;
             });
  line.flag("--sync-only", "the program is not instrumented, and that is intended",
            options.sync_only);
  if (const auto done = line.parse(words)) return done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle run [options] -- program [arguments]"});
  }
  options.program = line.rest();
  if (!options.seed_given) options.config.seed = std::random_device{}() % 1'000'000;
  return std::nullopt;
}

// Does the exit status leave the reader in the dark?
bool is_hidden(Outcome outcome) {
  return outcome == Outcome::deadlock || outcome == Outcome::livelock ||
         outcome == Outcome::step_limit || outcome == Outcome::misuse ||
         outcome == Outcome::timed_out;
}

// Ended from outside, by a user or a closed pipe: nothing to report.
bool is_ordinary_signal(const channel::Failure& end) {
  if (end.outcome != Outcome::signalled) return false;
  switch (end.code) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
    case SIGPIPE:
    case SIGKILL:
      return true;
    default:
      return false;
  }
}

void print_report(const RunOptions& options, const Execution& run) {
  const channel::RunRecord& record = run.record();
  report::Symbolizer symbols(report::modules(*run.channel));
  report::ReportOptions format;
  format.colour = wants_colour(STDERR_FILENO);
  format.schedule = is_hidden(record.end.outcome);
  if (options.save.empty()) {
    format.again_command = fmt::format("jostle run --strategy {} --seed {}{} --",
                                       report::bounded(options.config.strategy),
                                       options.config.seed, options.point_options.typed());
    for (const std::string& word : options.program) format.again_command += " " + shell_quote(word);
  } else {
    format.replay_command = "jostle replay " + shell_quote(options.save);
  }
  fmt::print(stderr, "\n{}", report::TextReport(record, symbols, format).text());
}

// The replay file, and what it needs besides.
MaybeError save(const RunOptions& options, const Target& target, const Execution& run,
                AtomicFile& file) {
  const channel::RunRecord& record = run.record();
  if (record.log_overflow != 0) {
    return Error{Exit::output, "the run is too long to be saved: nothing was written"};
  }
  Recording recording{own_version(),
                      record_program(target, {options.program.begin() + 1, options.program.end()}),
                      record_inherited_input(),
                      options.config,
                      0,
                      0,
                      record.end,
                      copy_schedule(record.schedule)};
  if (recording.input.bytes.size() > kMostInlineInput) {
    const std::string path = options.save + ".stdin";
    recording.input.file = report::base_name(path);
    Result<AtomicFile> input = AtomicFile::open(path);
    if (!input) return input.error();
    if (MaybeError error = input->commit(recording.input.bytes)) return error;
  }
  report::Symbolizer symbols(report::modules(*run.channel));
  report::Names names(record, symbols);
  return file.commit(replay_text(recording, symbols, names));
}

int finish(const RunOptions& options, const Execution& run) {
  const channel::Failure& end = run.record().end;
  if (end.outcome == Outcome::unsupported) {
    return fail({Exit::unsupported, report::summary(end)});
  }
  const std::string note_text(report::bounded(run.channel->status.note));
  if (!note_text.empty()) note(note_text);
  const bool worth_telling = report::is_failure(end, false) && !is_ordinary_signal(end);
  if (worth_telling && !run.interrupted) print_report(options, run);
  return is_hidden(end.outcome) ? static_cast<int>(Exit::found) : shell_code(run.status);
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  RunOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<Target> target = examine_target(options.program[0]);
  if (!target) return fail(target.error());
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  std::optional<AtomicFile> file;
  if (!options.save.empty()) {
    Result<AtomicFile> opened = AtomicFile::open(options.save);
    if (!opened) return fail(opened.error());
    file.emplace(std::move(*opened));
  }
  if (!target->instrumented && !options.sync_only) note(not_instrumented_note(*target));
  LaunchPlan plan{target->path, options.program};
  Result<PointSetting> points = find_points(options.point_options, plan, *installation);
  if (!points) return fail(points.error());
  points->apply(options.config, plan);
  Result<Execution> run = execute(plan, options.config, nullptr, *installation);
  if (!run) return fail(run.error());
  if (file) {
    if (MaybeError error = save(options, *target, *run, *file)) return fail(*error);
  }
  return finish(options, *run);
}

}  // namespace jostle::cli
