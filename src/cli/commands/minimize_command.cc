// SPDX-License-Identifier: Apache-2.0
// `jostle minimize`: a recorded failure with fewer preemptions.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "src/cli/campaign/fuzz_inputs.h"
#include "src/cli/campaign/progress_display.h"
#include "src/cli/commands/commands.h"
#include "src/cli/findings/single_run.h"
#include "src/cli/options/command_line.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/recorded_program.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/support/values.h"
#include "src/cli/target/standard_input.h"
#include "src/minimize/command/minimize_in_turn.h"
#include "src/minimize/command/minimize_schedule.h"
#include "src/minimize/command/shrink_input.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/text/text_report.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kMinimizeExamples[] =
    "  jostle minimize jostle-out/bank/assert-5d0c1f/replay.json\n"
    "  jostle minimize jostle-out/bank/assert-5d0c1f            the folder will do\n"
    "  jostle minimize FILE --time 1m -o small.json             takes its time, keeps FILE\n"
    "Without -o the file is replaced, and what it was is kept beside it as replay-original.json.\n"
    "exit codes: 77 a failing schedule was written or FILE is small already, 79 the failure did "
    "not\n"
    "show again; all: docs/exit-codes.md";

constexpr uint64_t kDefaultTime = 10'000'000'000;

struct MinimizeOptions {
  std::string file, output;
  uint64_t time = kDefaultTime;
  ProgramChoice program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, MinimizeOptions& options) {
  CommandLine line("jostle minimize", "[options] FILE",
                   "Looks for a schedule that fails in the same way with fewer preemptions.",
                   kMinimizeExamples);
  line.allow_options_everywhere();
  line.value("-o,--output", "FILE", "write the result there (default: replace the file)",
             [&](const std::string& text) -> std::optional<std::string> {
               options.output = text;
               return std::nullopt;
             });
  line.time_limit("-t,--time", "search for at most this long (default 10s)", options.time);
  line.value("--program", "FILE", "run this program, whatever the replay file says",
             [&](const std::string& text) -> std::optional<std::string> {
               options.program.path = text;
               return std::nullopt;
             });
  line.flag("--force", "go on although the program has changed since", options.program.force);
  if (const auto done = line.parse(words)) return done;
  if (line.operands().size() != 1 || !line.rest().empty()) {
    return fail({Exit::usage, line.operands().empty()
                                  ? "no replay file given: jostle minimize FILE"
                                  : "one replay file at a time: jostle minimize FILE"});
  }
  options.file = line.operands()[0];
  std::error_code ignored;
  if (std::filesystem::is_directory(options.file, ignored)) {
    options.file = (std::filesystem::path(options.file) / kReplayFileName).string();
  }
  return std::nullopt;
}

// replay.json → replay-original.json, beside it. What is there already is older, and stays.
MaybeError keep_original(const std::string& file, std::string& name) {
  const std::filesystem::path path(file);
  name = fmt::format("{}-original{}", path.stem().string(), path.extension().string());
  const std::filesystem::path to = path.parent_path() / name;
  std::error_code error;
  std::filesystem::copy_file(path, to, std::filesystem::copy_options::skip_existing, error);
  if (!error) return std::nullopt;
  return Error{Exit::output, fmt::format("cannot write {}: {}", to.string(), error.message())};
}

class Minimize {
 public:
  Minimize(MinimizeOptions options, Recording recording, const FoundProgram& program,
           Descriptor input, Installation installation)
      : options_(std::move(options)),
        recording_(std::move(recording)),
        input_(std::move(input)),
        installation_(std::move(installation)),
        plan_(plan_recorded(recording_, program)) {
    plan_.budget = Budget(std::chrono::nanoseconds(static_cast<int64_t>(options_.time)));
  }

  int run();

 private:
  std::string input_file() const;
  bool has_found_input() const;
  MaybeError shrink(Finding& finding);
  Result<Minimized> make_small(const Finding& finding);
  MaybeError use_input(const std::string& bytes);
  MaybeError save_input() const;
  int write(const Minimized& small, const Execution& run, const report::Explanation& why);
  LaunchPlan plan() {
    LaunchPlan plan = plan_;
    again_ = input_.valid() ? reopen(input_.get()) : Descriptor();
    plan.in = again_.valid() ? again_.get() : input_.get();
    return plan;
  }

  MinimizeOptions options_;
  Recording recording_;
  Descriptor input_, again_;
  Installation installation_;
  LaunchPlan plan_;
};

std::string Minimize::input_file() const {
  return (std::filesystem::path(options_.file).parent_path() / kInputFileName).string();
}

// What a campaign found is beside the replay file; any other input is the user's.
bool Minimize::has_found_input() const {
  std::error_code ignored;
  return !recording_.input.bytes.empty() && std::filesystem::exists(input_file(), ignored);
}

MaybeError Minimize::use_input(const std::string& bytes) {
  if (bytes != recording_.input.bytes) {
    note(fmt::format("input: {} → {}", recording_.input.bytes.size(),
                     report::count(bytes.size(), "byte")));
  }
  recording_.input.bytes = bytes;
  Result<Descriptor> input = open_recorded(recording_.input);
  if (!input) return input.error();
  input_ = std::move(*input);
  return std::nullopt;
}

// Before the schedule: what is left out of the input need not be scheduled.
MaybeError Minimize::shrink(Finding& finding) {
  if (!has_found_input()) return std::nullopt;
  Result<ShrunkInput> small =
      shrink_input(plan_, recording_.config, finding, recording_.input.bytes,
                   std::chrono::nanoseconds(static_cast<int64_t>(options_.time)), installation_);
  if (!small) return small.error();
  finding = small->finding;
  return use_input(small->bytes);
}

Result<Minimized> Minimize::make_small(const Finding& finding) {
  const std::chrono::nanoseconds time(static_cast<int64_t>(options_.time));
  if (!has_found_input()) {
    return minimize(plan(), recording_.config, finding, time, installation_);
  }
  Result<MinimizedInTurn> small = minimize_in_turn(plan_, recording_.config, finding,
                                                   recording_.input.bytes, time, installation_);
  if (!small) return small.error();
  if (MaybeError error = use_input(small->bytes)) return *error;
  return std::move(small->schedule);
}

MaybeError Minimize::save_input() const {
  if (!has_found_input()) return std::nullopt;
  Result<AtomicFile> file = AtomicFile::open(input_file());
  if (!file) return file.error();
  return file->commit(recording_.input.bytes);
}

int Minimize::run() {
  Finding finding{recording_.schedule_number, recording_.signature, "", recording_.failure,
                  recording_.log};
  if (MaybeError error = shrink(finding)) return fail(*error);
  Result<Minimized> small = make_small(finding);
  if (!small) return fail(small.error());
  if (small->why_not == "interrupted") return static_cast<int>(Exit::interrupted);
  if (!small->found) {
    return fail({Exit::not_reproduced,
                 fmt::format("{} is not minimised: {}", options_.file, small->why_not)});
  }
  LaunchPlan replay = plan();
  replay.stops = library_code(replay, installation_);
  replay.own_group = true;
  channel::Config config = recording_.config;
  prepare_replay(config, small->smallest.end);
  const Descriptor silence(open("/dev/null", O_WRONLY | O_CLOEXEC));
  replay.out = replay.err = silence.get();
  Result<Execution> run = execute(replay, config, &small->smallest.log, installation_);
  if (!run) return fail(run.error());
  if (run->interrupted) return static_cast<int>(Exit::interrupted);
  if (run->out_of_time) {
    return fail({Exit::not_reproduced,
                 fmt::format("{} is left as it is: there was no time left to confirm the smaller "
                             "schedule (more: --time)",
                             options_.file)});
  }
  if (!report::same_failure(recording_.failure, run->record().end)) {
    return fail({Exit::not_reproduced,
                 fmt::format("{} is left as it is: the smaller schedule ended with {} when it was "
                             "replayed in a fresh process",
                             options_.file, report::summary(run->record().end))});
  }
  replay.in = plan().in;
  const KnownAround around{small->passing, small->sequential};
  return write(*small, *run, diagnose(*run, replay, config, around, installation_).why);
}

int Minimize::write(const Minimized& small, const Execution& run, const report::Explanation& why) {
  const bool in_place = options_.output.empty();
  const std::string path = in_place ? options_.file : options_.output;
  std::string original_file;
  if (in_place) {
    if (MaybeError error = keep_original(path, original_file)) return fail(*error);
  }
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return fail(file.error());
  Recording result = recording_;
  // Of one that was minimised before, the first original counts.
  Recording::Original from = recording_.original.value_or(
      Recording::Original{preemptions_of(small.original.log), small.original.log.segments.size()});
  from.is_minimum = small.is_minimum;
  from.file = original_file;
  result.original = from;
  result.why = why.text();
  result.passes_with = why.passes_with ? claim_text(*why.passes_with) : "";
  result.log = small.smallest.log;
  result.failure = small.smallest.end;
  if (MaybeError error = save_recording(result, *run.channel, path, *file)) return fail(*error);
  if (in_place) {
    if (MaybeError error = save_input()) return fail(*error);
  }
  report::Symbolizer symbols(report::modules(*run.channel));
  report::ReportOptions format;
  format.schedule_number = recording_.schedule_number;
  format.strategy = report::bounded(recording_.config.strategy);
  format.colour = wants_colour(STDERR_FILENO);
  format.columns = terminal_columns(STDERR_FILENO);
  format.why = why;
  format.preemptions_before = from.preemptions;
  format.is_minimum = from.is_minimum;
  format.replay_command = fmt::format("jostle replay {}", shell_quote(path));
  fmt::print(stderr, "{}", report::TextReport(run.record(), symbols, format).text());
  note(fmt::format("{}: {} → {}, {} in {:.1f} s", path, preemptions_of(small.original.log),
                   report::count(preemptions_of(small.smallest.log), "preemption"),
                   report::count(small.runs, "run"),
                   std::chrono::duration<double>(small.elapsed).count()));
  return static_cast<int>(Exit::found);
}

}  // namespace

int minimize_command(const std::vector<std::string>& words) {
  MinimizeOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<Recording> recording = load_replay_file(options.file);
  if (!recording) return fail(recording.error());
  if (!report::is_failure(recording->failure, true)) {
    return fail(
        {Exit::usage, fmt::format("{} does not fail: there is nothing to minimise", options.file)});
  }
  Result<FoundProgram> program = find_recorded_program(recording->program, options.program);
  if (!program) return fail(program.error());
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  Result<Descriptor> input = open_recorded(recording->input);
  if (!input) return fail(input.error());
  return Minimize(std::move(options), std::move(*recording), *program, std::move(*input),
                  std::move(*installation))
      .run();
}

}  // namespace jostle::cli
