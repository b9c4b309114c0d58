// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/many_runs.h"

namespace jostle::cli {

Result<ManyRuns> prepare_many_runs(const std::string& program) {
  Result<Target> target = examine_target(program);
  if (!target) return target.error();
  Result<Installation> installation = find_installation();
  if (!installation) return installation.error();
  Result<StandardInput> input = prepare_input();
  if (!input) return input.error();
  return ManyRuns{std::move(*target), std::move(*installation), std::move(*input)};
}

}  // namespace jostle::cli
