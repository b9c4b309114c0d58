#include "src/cli/diagnosis.h"

#include <fcntl.h>

#include "src/cli/program_code.h"
#include "src/cli/standard_input.h"
#include "src/cli/stop_points.h"
#include "src/report/record_view.h"
#include "src/report/spurious_text.h"

namespace jostle::cli {
namespace {

// All that naming a run takes, in one place.
struct Side {
  explicit Side(const Execution& run)
      : trace(run.record()), symbols(report::modules(*run.channel)), names(run.record(), symbols) {}
  report::NamedRun named() { return {trace, symbols, names}; }

  report::RunTrace trace;
  report::Symbolizer symbols;
  report::Names names;
};

}  // namespace

std::vector<channel::StopRange> library_code(const LaunchPlan& plan,
                                             const Installation& installation) {
  const Result<std::vector<ModuleCode>> modules = probe_program(plan, installation);
  return modules ? library_ranges(*modules) : std::vector<channel::StopRange>{};
}

report::Explanation diagnose(const Execution& failing, LaunchPlan plan, channel::Config config,
                             const std::vector<ScheduleLog>& passing,
                             const Installation& installation) {
  Side fails(failing);
  report::Explanation end = explain_end(fails.named());
  const bool tells_all = !end.empty() && !end.only_the_end;
  if (tells_all || fails.trace.empty()) return explain_spurious(fails.named(), std::move(end));
  const Descriptor silence(open("/dev/null", O_WRONLY | O_CLOEXEC));
  plan.out = plan.err = silence.get();
  plan.own_group = true;
  config.expected_end = static_cast<uint32_t>(channel::Outcome::exited);
  const int input = plan.in;
  report::Explanation nearest;
  for (const ScheduleLog& log : passing) {
    if (plan.budget.over()) break;
    const Descriptor again = input < 0 ? Descriptor() : reopen(input);
    if (again.valid()) plan.in = again.get();
    Result<Execution> run = execute(plan, config, &log, installation);
    if (!run || run->interrupted || run->out_of_time) break;
    if (run->record().end.outcome != channel::Outcome::exited) continue;
    Side passes(*run);
    report::Explanation why = explain_difference(fails.named(), passes.named());
    if (why.empty()) continue;
    if (nearest.empty() || why.distance < nearest.distance) nearest = std::move(why);
  }
  return explain_spurious(fails.named(), explain_both(end, nearest));
}

}  // namespace jostle::cli
