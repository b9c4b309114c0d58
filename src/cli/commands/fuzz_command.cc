// SPDX-License-Identifier: Apache-2.0
// `jostle fuzz`: many schedules, the failures among them, each confirmed before it is shown; and
// `jostle verify`: all executions.
#include <fmt/format.h>

#include "src/base/hash.h"
#include "src/cli/campaign/join_campaign.h"
#include "src/cli/commands/commands.h"
#include "src/cli/regression/around.h"
#include "src/cli/regression/regressions.h"
#include "src/cli/search/fuzz_search.h"
#include "src/cli/suites/each_test.h"
#include "src/cli/target/fork_server_client.h"

namespace jostle::cli {
namespace {

// What standard input is, for those who have to have the same.
std::string name_of(const RecordedInput& input) {
  if (input.kind == RecordedInput::Kind::inherit) return "what each has";
  if (input.bytes.empty()) return "nothing";
  return fmt::format("{:016x}", fnv1a(input.bytes.data(), input.bytes.size()));
}

}  // namespace

int fuzz_program(FuzzOptions options, const std::string& folder_name, TestReport* report) {
  const auto fail = [report](const Error& error) {
    if (report != nullptr) report->problem = error.message;
    return cli::fail(error);
  };
  Result<Target> target = examine_target(options.program[0]);
  if (!target) return fail(target.error());
  // A program that waits in a check is linked with the library.
  Result<Installation> installation = find_installation(options.fork_server < 0);
  if (!installation) return fail(installation.error());
  const bool is_check = options.fork_server >= 0;
  if (is_check) installation->fork_server = std::make_shared<ForkServer>(options.fork_server);
  Result<PointSetting> points =
      find_points(options.point_options, options.plan(*target), *installation);
  if (!points) return fail(points.error());
  options.points = std::move(*points);
  Result<Suppressions> suppressions = Suppressions::load(options.check_options.suppressions);
  if (!suppressions) return fail(suppressions.error());
  options.suppressions = std::move(*suppressions);
  Result<StandardInput> input = options.around ? input_around(options) : prepare_input();
  if (!input) return fail(input.error());
  Result<StrategyStart> start =
      options.around ? start_around(options, *target, input->file.get(), *installation)
                     : load_strategy_start(options.config, options.schedule);
  if (!start) return fail(start.error());
  std::optional<FuzzInputs> inputs;
  if (!options.inputs.empty()) {
    Result<FuzzInputs> opened = FuzzInputs::open(options.inputs);
    if (!opened) return fail(opened.error());
    inputs.emplace(std::move(*opened));
    inputs->announce();
    options.program = with_input_path(std::move(options.program));
  }
  if (!options.regress.empty()) {
    Result<std::vector<std::string>> known = findings_of(options.regress, target->name);
    if (!known) return fail(known.error());
    options.known_findings = std::move(*known);
  }
  // Last, so that a slip leaves nothing behind.
  std::optional<CampaignWorker> worker;
  if (!options.campaign.empty()) {
    options.input_name = name_of(record_input(*input));
    Result<CampaignWorker> joined = join_campaign(options, *target);
    if (!joined) return fail(joined.error());
    worker.emplace(std::move(*joined));
    if (inputs) {
      if (MaybeError error = inputs->share(worker->folder().inputs())) return fail(*error);
    }
  }
  Result<OutputFolder> folder =
      worker ? OutputFolder::of_worker(worker->own().path(), worker->findings())
             : OutputFolder::open(options.output, is_check ? file_name_for(options.check)
                                                  : folder_name.empty() ? target->name
                                                                        : folder_name);
  if (!folder) return fail(folder.error());
  if (!target->instrumented && !options.sync_only && !is_check) {
    note(not_instrumented_note(*target));
  }
  FuzzSearch search({std::move(options), std::move(*target), std::move(*folder), std::move(*input),
                     std::move(*installation), std::move(*start), std::move(inputs),
                     std::move(worker)});
  return search.run(report);
}

int fuzz_command(const std::vector<std::string>& words) {
  FuzzOptions options;
  if (const auto done = parse_fuzz_options(words, options)) return *done;
  return options.each_test ? fuzz_each_test(std::move(options)) : fuzz_program(std::move(options));
}

int verify_command(const std::vector<std::string>& words) {
  FuzzOptions options;
  options.verifies = true;
  if (const auto done = parse_fuzz_options(words, options)) return *done;
  if (options.around) {
    if (const MaybeError error = load_around(options)) return fail(*error);
  }
  return fuzz_program(std::move(options));
}

}  // namespace jostle::cli
