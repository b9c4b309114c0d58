// SPDX-License-Identifier: Apache-2.0
// `jostle cover`: which pairs of places in the program the schedules of a campaign have brought
// together.
#include "src/cli/commands/cover_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include "src/cli/campaign/fuzz_inputs.h"
#include "src/cli/campaign/workers.h"
#include "src/cli/options/command_line.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/runs/many_runs.h"
#include "src/cli/support/values.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/signals.h"
#include "src/report/formats/cover_json.h"
#include "src/report/text/cover_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kCoverExamples[] =
    "  jostle cover ./bank                          a thousand schedules\n"
    "  jostle cover --depth 4 --top 50 -- ./server --port 0\n"
    "  jostle cover --strategy random --seed 7 ./bank   the same schedules, the same numbers\n"
    "What the pairs are: docs/coverage.md";

constexpr uint64_t kDefaultSchedules = 1000;

struct CoverOptions {
  channel::Config config = default_config(channel::Mode::fuzz);
  uint64_t depth = 2, top = 20;
  bool json = false;
  std::vector<std::string> program;
};

std::optional<int> parse_options(const std::vector<std::string>& words, CoverOptions& options) {
  channel::Config& config = options.config;
  config.max_steps = kDefaultSteps;
  config.run_nanoseconds = kDefaultRunNanoseconds;
  config.record = 0;
  config.seed = 1;
  config.keep_going = 1;
  set_strategy(config, "portfolio");
  CommandLine line(
      "jostle cover", "[options] [--] program [arguments]",
      "Runs the program under some schedules and lists which functions ran at the same "
      "time, what reads observed, and who took locks from whom.",
      kCoverExamples);
  line.limit("-n,--schedules", "how many (default 1,000)", config.max_schedules);
  line.time_limit("-t,--time", "stop after this time", config.max_nanoseconds);
  line.value("--seed", "N", "which schedules (default 1)",
             [&](const std::string& text) -> std::optional<std::string> {
               const auto seed = parse_number(text);
               if (!seed) return "expected a whole number";
               config.seed = *seed;
               return std::nullopt;
             });
  line.number("--depth", "how many functions of both call stacks make a context (default 2)",
              options.depth);
  line.number("--top", "how many pairs of each kind are listed (default 20)", options.top);
  line.flag("--json", "all pairs as JSON on standard output", options.json);
  line.schedule_options(config);
  if (const auto done = line.parse(words)) return done;
  if (line.rest().empty()) {
    return fail({Exit::usage, "no program given: jostle cover [options] -- program [arguments]"});
  }
  if (options.depth < 1 || options.depth > CoverTable::kMostDepth) {
    return fail({Exit::usage,
                 fmt::format("--depth: expected a number from 1 to {}", CoverTable::kMostDepth)});
  }
  if (config.max_schedules == 0 && config.max_nanoseconds == 0) {
    config.max_schedules = kDefaultSchedules;
  }
  options.program = line.rest();
  return std::nullopt;
}

}  // namespace

int cover_command(const std::vector<std::string>& words) {
  CoverOptions options;
  if (const auto done = parse_options(words, options)) return *done;
  Result<ManyRuns> ready = prepare_many_runs(options.program[0]);
  if (!ready) return fail(ready.error());
  if (!ready->target.instrumented) note(not_instrumented_note(ready->target));
  Result<Shared<CoverTable>> table = Shared<CoverTable>::create("jostle-cover");
  if (!table) return fail(table.error());
  (*table)->depth = static_cast<uint32_t>(options.depth);
  Result<SharedHub> hub = create_hub();
  if (!hub) return fail(hub.error());
  LaunchPlan plan{ready->target.path, options.program};
  plan.in = ready->input.file.get();
  plan.own_group = true;
  if (plan.stops.empty()) plan.stops = library_code(plan, ready->installation);
  announce_descriptor(kCoverVariable, table->descriptor());
  Result<Workers> campaign =
      Workers::start(plan, options.config, ready->installation, std::move(*hub), 1);
  if (!campaign) return fail(campaign.error());
  SignalWatch signals(true);
  for (bool running = true; running;) {
    Result<bool> stepped = campaign->step(signals);
    if (!stepped) return fail(stepped.error());
    running = *stepped;
    while (campaign->next_finding()) {
    }
  }
  const Totals totals = campaign->totals();
  report::Symbolizer symbols(report::modules(campaign->channel()));
  if (options.json) {
    fmt::print("{}\n", report::cover_json(**table, symbols,
                                          {totals.schedules, totals.failing_schedules,
                                           options.config.seed, options.depth}));
  } else {
    fmt::print("{}, {} of them failed\n\n{}", report::count(totals.schedules, "schedule"),
               report::thousands(totals.failing_schedules),
               report::cover_text(**table, symbols, options.top));
  }
  if (const uint64_t lost = (*table)->lost.load()) {
    note(fmt::format("more different pairs than there is room for: {} were not counted",
                     report::thousands(lost)));
  }
  return static_cast<int>(campaign->interrupted() ? Exit::interrupted : Exit::ok);
}

}  // namespace jostle::cli
