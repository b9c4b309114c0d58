// SPDX-License-Identifier: Apache-2.0
// `jostle merge`: prunes the corpus of a program. Every schedule is run once, the simplest first,
// and only those stay that show a pair of a write and a read which none before them has shown.
#include <fmt/format.h>

#include <filesystem>

#include "src/cli/campaign/corpus.h"
#include "src/cli/campaign/workers.h"
#include "src/cli/commands/commands.h"
#include "src/cli/options/command_line.h"
#include "src/cli/recording/files.h"
#include "src/cli/runs/many_runs.h"
#include "src/cli/target/signals.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kMergeExamples[] =
    "  jostle merge ./bank                 prunes jostle-out/bank/corpus\n"
    "  jostle merge -o out -- ./tool -x    the corpus of `jostle fuzz -o out -- ./tool -x`";

}  // namespace

int merge_command(const std::vector<std::string>& words) {
  std::string output = "jostle-out";
  CommandLine line("jostle merge", "[options] [--] program [arguments]",
                   "Prunes the corpus of a program to what each schedule adds.", kMergeExamples);
  line.value("-o,--output", "DIR", "where findings are kept (default jostle-out)",
             [&](const std::string& text) -> std::optional<std::string> {
               output = text;
               return std::nullopt;
             });
  channel::Config config = default_config(channel::Mode::fuzz);
  config.record = 0;
  config.keep_going = 1;
  config.max_steps = kDefaultSteps;
  config.run_nanoseconds = kDefaultRunNanoseconds;
  set_strategy(config, "rff:mutate=off");
  if (const auto done = line.parse(words)) return *done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle merge [options] -- program [arguments]"});
  }
  Result<ManyRuns> ready = prepare_many_runs(line.rest()[0]);
  if (!ready) return fail(ready.error());
  Result<OutputFolder> folder = OutputFolder::open(output, ready->target.name);
  if (!folder) return fail(folder.error());
  Result<SharedHub> hub = create_hub();
  if (!hub) return fail(hub.error());

  const std::string corpus = folder->path() + "/corpus";
  const CorpusLoad load = load_corpus(corpus, ready->target, **hub);
  if (const std::string text = describe(load); !text.empty()) note(text);
  if (load.files.empty()) {
    fmt::print("nothing to merge in {}\n", corpus);
    return 0;
  }
  LaunchPlan plan{ready->target.path, line.rest()};
  plan.in = ready->input.file.get();
  plan.own_group = true;
  Result<Workers> workers = Workers::start(plan, config, ready->installation, std::move(*hub), 1);
  if (!workers) return fail(workers.error());
  SignalWatch signals{true};
  while (true) {
    Result<bool> running = workers->step(signals);
    if (!running) return fail(running.error());
    if (!*running) break;
  }
  if (workers->interrupted()) {
    note("interrupted: nothing was removed");
    return static_cast<int>(Exit::interrupted);
  }
  if (workers->stop_reason() != channel::StopReason::exhausted) {
    return fail({Exit::unsupported, "the runs did not come to an end: nothing was removed"});
  }
  const size_t removed = remove_useless(load, workers->hub());
  fmt::print("{} kept, {} removed\n", report::count(load.files.size() - removed, "schedule"),
             report::thousands(removed));
  return 0;
}

}  // namespace jostle::cli
