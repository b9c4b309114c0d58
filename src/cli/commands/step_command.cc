// SPDX-License-Identifier: Apache-2.0
// `jostle step`: one execution in which a person, or a script, decides which thread runs.
#include <fcntl.h>
#include <fmt/format.h>

#include "src/cli/commands/commands.h"
#include "src/cli/options/command_line.h"
#include "src/cli/stepping/step_session.h"
#include "src/cli/target/standard_input.h"
#include "src/cli/target/target.h"

namespace jostle::cli {
namespace {

constexpr char kStepExamples[] =
    "  jostle step ./bank                     type help at the prompt\n"
    "  printf '1 3\\n2\\nrun\\n' | jostle step ./bank\n"
    "  jostle step -x script -- ./tool < input\n"
    "Commands come from standard input, and the program gets none (/dev/null); with -x it keeps\n"
    "its own. The exit code is that of jostle run; 0 when you leave before the program ends.";

constexpr uint64_t kRehearsals = 3;
constexpr uint64_t kMostRehearsals = 1000;

struct StepOptions {
  channel::Config config = default_config(channel::Mode::step);
  uint64_t rehearsals = kRehearsals;
  bool sync_only = false;
  std::string commands;
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, StepOptions& options) {
  CommandLine line("jostle step", "[options] [--] program [arguments]",
                   "Runs the program once; you choose which thread runs at every step.",
                   kStepExamples);
  options.config.seed = 1;
  set_strategy(options.config, "pos");
  line.value("-x,--commands", "FILE", "read commands from here; the program keeps standard input",
             [&](const std::string& text) -> std::optional<std::string> {
               options.commands = text;
               return std::nullopt;
             });
  line.number("--seed", "what the strategies you hand over to draw from (default 1)",
              options.config.seed);
  line.number("--rehearse",
              "run the program so often unseen first, to learn which memory is shared (default 3)",
              options.rehearsals);
  line.schedule_options(options.config);
  line.flag("--sync-only", "the program is not instrumented, and that is intended",
            options.sync_only);
  if (const auto done = line.parse(words)) return done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle step [options] -- program [arguments]"});
  }
  if (options.rehearsals > kMostRehearsals) {
    return fail({Exit::usage, fmt::format("--rehearse: at most {}", kMostRehearsals)});
  }
  options.program = line.rest();
  return std::nullopt;
}

struct StepInput {
  LineSource commands;
  StandardInput program;
};

Result<StepInput> open_input(const StepOptions& options) {
  StepInput input;
  if (options.commands.empty()) {
    input.program.file.reset(open("/dev/null", O_RDWR | O_CLOEXEC));
    return input;
  }
  Result<LineSource> commands = LineSource::open(options.commands);
  if (!commands) return commands.error();
  Result<StandardInput> program = prepare_input();
  if (!program) return program.error();
  return StepInput{std::move(*commands), std::move(*program)};
}

}  // namespace

int step_command(const std::vector<std::string>& words) {
  StepOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<Target> target = examine_target(options.program[0]);
  if (!target) return fail(target.error());
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  Result<StepInput> input = open_input(options);
  if (!input) return fail(input.error());
  Result<SharedChannel> channel = create_channel();
  if (!channel) return fail(channel.error());
  if (!target->instrumented && !options.sync_only) note(not_instrumented_note(*target));
  (*channel)->config = options.config;
  (*channel)->step.rehearsals = static_cast<uint32_t>(options.rehearsals);
  LaunchPlan plan{target->path, options.program};
  plan.in = input->program.file.get();
  plan.own_group = true;  // Ctrl-C is for us
  Result<TargetProcess> process = launch(plan, *channel, *installation);
  if (!process) return fail(process.error());
  Recording recording{own_version(),
                      record_program(*target, {options.program.begin() + 1, options.program.end()}),
                      record_input(input->program), options.config};
  set_strategy(recording.config, "step");
  StepSession session({std::move(recording), std::move(plan), std::move(*channel)},
                      std::move(*process), std::move(input->commands));
  return session.run();
}

}  // namespace jostle::cli
