// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/execution.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "src/cli/target/signals.h"
#include "src/files/journal.h"
#include "src/report/words/text.h"
#include "src/schedule/starvation.h"

namespace jostle::cli {
namespace {

using channel::Outcome;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

// How much longer than the runtime's own watchdog ours waits.
constexpr std::chrono::seconds kGraceOfRun{2};

struct Ending {
  int status;
  bool killed;
  bool interrupted;
  bool out_of_time = false;
};

// Waits for the end; passes the user's signals on unless the terminal has done so already.
Ending attend(TargetProcess& process, const LaunchPlan& plan, nanoseconds limit) {
  const SignalWatch signals;
  const Clock::time_point deadline = Clock::now() + limit + kGraceOfRun;
  int seen = 0;
  while (true) {
    if (const auto status = process.wait(plan.budget.at_most(std::chrono::milliseconds(200)))) {
      return {*status, false, signals.interrupts() > 0};
    }
    if (signals.interrupts() > seen) {
      seen = signals.interrupts();
      if (plan.own_group) return {process.kill(), false, true};
      if (!signals.is_from_terminal()) process.send(signals.last_signal());
    }
    if (plan.budget.over()) return {process.kill(), true, seen > 0, true};
    if (limit > nanoseconds(0) && Clock::now() > deadline) return {process.kill(), true, seen > 0};
  }
}

}  // namespace

Error not_attached(const LaunchPlan& plan, const channel::Channel& channel, int status) {
  const std::string note(report::bounded(channel.status.note));
  if (!note.empty()) return {Exit::no_start, note};
  const std::string how = WIFSIGNALED(status) ? fmt::format("died of signal {}", WTERMSIG(status))
                                              : fmt::format("exited with {}", WEXITSTATUS(status));
  return {Exit::no_start,
          fmt::format("{} {} before the runtime could take over: does it start without jostle?",
                      plan.program, how)};
}

MaybeError broken_check(const channel::Channel& channel) {
  const std::string_view text = report::bounded(channel.status.broken_check);
  return text.empty() ? MaybeError() : Error{Exit::internal, std::string(text)};
}

void prepare_replay(channel::Config& config, const channel::Failure& failure) {
  config.mode = channel::Mode::replay;
  config.record = 1;
  config.first_schedule = 1;
  config.expected_end = static_cast<uint32_t>(failure.outcome);
  if (failure.outcome == Outcome::race) {
    config.checks |= channel::kCheckRace;
    config.expected_race = channel::race_key(failure.race[0], failure.race[1]);
  }
  if (channel::is_starvation(failure)) {
    config.checks |= channel::kCheckStarvation;
    config.starvation_limit = static_cast<uint32_t>(failure.code);
  }
  // Recording everything is slower than the run was: only a time-out has to come at the same time.
  constexpr uint64_t kSlowdown = 10;
  if (failure.outcome != Outcome::timed_out) config.run_nanoseconds *= kSlowdown;
}

void settle(channel::Failure& end, int status, bool killed_by_us) {
  if (end.outcome != Outcome::running) return;
  if (killed_by_us) {
    end.outcome = Outcome::timed_out;
  } else if (WIFSIGNALED(status)) {
    end.outcome = Outcome::signalled;
    end.code = WTERMSIG(status);
  } else {
    end.outcome = Outcome::exited;
    end.code = WEXITSTATUS(status);
  }
}

int shell_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<Execution> execute(const LaunchPlan& plan, const channel::Config& config,
                          const ScheduleLog* input, const Installation& installation) {
  Result<SharedChannel> channel = create_channel();
  if (!channel) return channel.error();
  (*channel)->config = config;
  if (plan.prepare) plan.prepare(**channel);
  if (input != nullptr) store_for_target(*input, **channel);
  Result<TargetProcess> process = launch(plan, *channel, installation);
  if (!process) return process.error();
  const Ending ending =
      attend(*process, plan, nanoseconds(static_cast<int64_t>(config.run_nanoseconds)));
  files::put_back((*channel)->files);  // a run of a campaign: the next one finds what it found
  if (MaybeError broken = broken_check(**channel)) return *broken;
  if ((*channel)->status.attached == 0 && !ending.interrupted && !ending.out_of_time) {
    return not_attached(plan, **channel, ending.status);
  }
  settle((*channel)->record.end, ending.status, ending.killed);
  return Execution{std::move(*channel), ending.status, ending.interrupted, ending.out_of_time};
}

}  // namespace jostle::cli
