// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/command/minimize_schedule.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "src/cli/campaign/progress_display.h"
#include "src/cli/target/execution.h"
#include "src/cli/target/signals.h"
#include "src/report/words/text.h"
#include "src/schedule/starvation.h"

namespace jostle::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// The target keeps the time itself; this is for one that does not.
constexpr std::chrono::seconds kGraceOfMinimizing{3};
constexpr uint64_t kLongestRun = 1'000'000'000;

channel::Config minimizing_config(channel::Config config, const Finding& original,
                                  nanoseconds time) {
  config.mode = channel::Mode::fuzz;
  config.minimize = 1;
  config.failure = original.signature;
  config.expected_end = static_cast<uint32_t>(original.end.outcome);
  config.record = 0;
  config.worker = 0;
  config.workers = 1;
  config.hub_descriptor = 0;
  config.first_schedule = 1;
  config.max_schedules = 0;
  config.max_nanoseconds = static_cast<uint64_t>(time.count());
  config.keep_graph = config.has_input = 0;
  config.byte_count = 0;
  if (config.run_nanoseconds == 0 || config.run_nanoseconds > kLongestRun) {
    config.run_nanoseconds = kLongestRun;
  }
  return config;
}

// One line on a terminal that renews itself; nothing elsewhere.
class Line {
 public:
  Line() : terminal_(wants_colour(STDERR_FILENO)) {}
  ~Line() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(uint64_t before, uint64_t now, uint64_t runs) {
    if (!terminal_) return;
    shown_ = true;
    fmt::print(stderr, "\r\x1b[K minimising: {} → {}   {}", before,
               report::count(now, "preemption"), report::count(runs, "run"));
  }

 private:
  bool terminal_;
  bool shown_ = false;
};

// Takes what the target has handed over so far.
void collect(FindingReader& reader, Minimized& result) {
  while (std::optional<Finding> finding = reader.next()) {
    if (finding->role == channel::FindingRole::passes) {
      result.passing.push_back(std::move(finding->log));
      continue;
    }
    result.found = true;
    result.is_minimum = finding->role == channel::FindingRole::minimum;
    result.smallest.end = finding->end;
    result.smallest.log = std::move(finding->log);
  }
}

}  // namespace

uint64_t preemptions_of(const ScheduleLog& log) {
  return static_cast<uint64_t>(std::ranges::count_if(log.segments, channel::is_preemption));
}

std::string why_not_minimized(const channel::Failure& end) {
  if (channel::is_starvation(end)) return "it takes a long fair run to starve a thread";
  switch (end.outcome) {
    case channel::Outcome::timed_out:
      return "a run that ends by its time limit takes too long to be tried often";
    case channel::Outcome::running:
      return "the recording has no end";
    case channel::Outcome::diverged:
    case channel::Outcome::unsupported:
    case channel::Outcome::stopped:
      return "it is no failure of the program";
    default:
      return {};
  }
}

Result<Minimized> minimize(LaunchPlan plan, channel::Config config, const Finding& original,
                           nanoseconds time, const Installation& installation) {
  Minimized result{original, original};
  result.why_not = why_not_minimized(original.end);
  if (!result.why_not.empty()) return result;
  Result<SharedChannel> channel = create_channel();
  if (!channel) return channel.error();
  (*channel)->config = minimizing_config(config, original, time);
  store_for_target(original.log, **channel);
  const Descriptor silence(open("/dev/null", O_WRONLY | O_CLOEXEC));
  plan.out = plan.err = silence.get();
  plan.own_group = true;
  const Clock::time_point started = Clock::now();
  Result<TargetProcess> process = launch(plan, *channel, installation);
  if (!process) return process.error();
  FindingReader reader(**channel);
  const SignalWatch signals;
  Line line;
  const uint64_t before = preemptions_of(original.log);
  bool interrupted = false;
  while (!process->wait(plan.budget.at_most(std::chrono::milliseconds(50)))) {
    collect(reader, result);
    line.show(before, preemptions_of(result.smallest.log), (*channel)->status.runs);
    interrupted = signals.interrupts() > 0;
    if (interrupted || Clock::now() - started > time + kGraceOfMinimizing || plan.budget.over()) {
      process->kill();
      break;
    }
  }
  if (MaybeError broken = broken_check(**channel)) return *broken;
  collect(reader, result);
  result.runs = (*channel)->status.runs;
  result.sequential = (*channel)->status.sequential_schedules;
  result.elapsed = Clock::now() - started;
  if (interrupted) {
    result.why_not = "interrupted";
  } else if (!result.found) {
    result.why_not = "the failure did not show again while its schedule was followed loosely";
  }
  return result;
}

}  // namespace jostle::cli
