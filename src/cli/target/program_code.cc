// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/program_code.h"

#include <fcntl.h>

#include "src/report/symbols/symbolizer.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {

Result<std::vector<ModuleCode>> probe_program(const LaunchPlan& plan,
                                              const Installation& installation) {
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  LaunchPlan quiet = plan;
  quiet.in = quiet.out = quiet.err = null.get();
  quiet.own_group = true;
  quiet.stops.clear();
  channel::Config config = default_config(channel::Mode::probe);
  config.record = 0;
  Result<Execution> run = execute(quiet, config, nullptr, installation);
  if (!run) return run.error();
  if (run->out_of_time) {
    return Error{Exit::no_start, plan.program + " did not come to main in the time there is"};
  }
  if (run->interrupted) return Error{Exit::interrupted, "interrupted"};
  std::vector<ModuleCode> modules;
  for (const channel::ModuleRecord& record : report::modules(*run->channel)) {
    ModuleCode module{std::string(report::bounded(record.path)), record.name_hash,
                      record.instrumented != 0 && !report::is_own_library(record.path)};
    if (module.instrumented) module.functions = report::functions_of(module.path);
    modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace jostle::cli
