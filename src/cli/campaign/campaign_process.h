// SPDX-License-Identifier: Apache-2.0
// A campaign as the command sees it: a target process that tries one schedule after the other, and
// what it has found so far.
//
// The search itself runs inside the target. Here the process is watched: when it dies before its
// campaign is over, a new one goes on behind the last schedule, and what the old one had found is
// kept. `step` is called in a loop; it sleeps for a short while or until something happens.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/cli/target/shared_channel.h"
#include "src/cli/target/signals.h"

namespace jostle::cli {

// Counters over all processes of the campaign.
struct Totals {
  uint64_t schedules = 0, distinct = 0, steps = 0, events = 0;
  uint64_t failing_schedules = 0;
  uint64_t first_failure_at = 0;  // schedule number; 0: none
  uint64_t uncontrolled = 0;
  bool runs_differed = false;  // of a schedule that was run twice
  bool waits = false;          // for condition variables or futexes
  bool weak_compares = false;
  uint32_t max_live_threads = 0;
  uint32_t restarts = 0;
  uint64_t timer_expiries = 0;  // waits of event loops that ended by time
  uint64_t rejected = 0;        // runs whose input assume() did not want
  uint64_t scenarios = 0;       // of tests with histories
  uint64_t not_judged = 0;      // histories of which nobody knows whether they are right
  uint64_t inputs = 0;          // inputs that are worth to go on from
  uint32_t stuck = 0;           // runs that had to be killed from outside
  channel::Executor executor = channel::Executor::automatic;  // the last one used
  uint64_t traces = 0;                                        // digest over all traces, in order
  uint64_t reads_from_sets = 0, reads_from_pairs = 0, corpus = 0;  // of all workers: see Workers
  channel::Exploration exploration{};                              // of the last process
  std::array<uint64_t, channel::kOutcomes> outcomes{};
  std::map<std::string, uint64_t> ended_early = {};  // by the search, not the program: why
};

class Campaign {
 public:
  using Clock = std::chrono::steady_clock;
  // Twenty times a second: smooth for the eye, nothing for the machine.
  static constexpr std::chrono::milliseconds kPoll{50};

  // Starts the first process. Each reads the plan's input from its beginning, whoever else does.
  static Result<Campaign> start(LaunchPlan plan, const channel::Config& config,
                                const Installation& installation);

  // False when the campaign is over. Signals: the first asks the target to stop, the second kills
  // it.
  Result<bool> step(SignalWatch& signals, std::chrono::milliseconds poll = kPoll);
  std::optional<Finding> next_finding();

  // A finding that ended the campaign turned out to be none: goes on behind it. False when there is
  // nothing left to do. `in_processes`: what a fresh process did not do again is perhaps what a
  // rewound one does; runs get a process each, unless the user wants it otherwise.
  Result<bool> go_on(bool in_processes);

  // To the target, if it runs.
  void send(int signal);
  // Asks it to stop behind the run that is under way; one that takes long is ended.
  void stop();

  Totals totals() const;
  channel::StopReason stop_reason() const {
    return late_ ? channel::StopReason::time : channel_->status.stop_reason.load();
  }
  std::string note() const;
  // Why runs have a process each although they need not; "" when there is nothing to say.
  std::string executor_note() const;
  // Which files runs find, or leave, as other runs did.
  std::string file_note() const;
  // Keeps the target from running the program, if that changes files, until `go_on_running`.
  void pause();
  void go_on_running();
  bool interrupted() const { return interrupted_; }
  std::chrono::nanoseconds elapsed() const;
  const channel::Config& config() const { return config_; }
  const channel::Channel& channel() const { return *channel_; }

 private:
  Campaign(LaunchPlan plan, const channel::Config& config, Installation installation,
           SharedChannel channel);
  MaybeError launch_process();
  MaybeError restart(uint64_t first_schedule);
  Result<bool> process_ended(int status);
  bool budget_left() const;
  bool is_stuck();
  bool is_late();
  uint64_t next_schedule() const;

  LaunchPlan plan_;
  channel::Config config_;  // of the campaign as a whole
  Installation installation_;
  SharedChannel channel_;
  std::optional<FindingReader> reader_;
  std::deque<Finding> rescued_;  // from the memory of a process that is gone
  uint64_t last_finding_ = 0;    // its schedule number
  std::optional<TargetProcess> process_;
  Totals before_;  // of the processes that are gone
  uint64_t first_schedule_ = 1;
  int restarts_without_progress_ = 0;
  uint64_t last_schedules_ = 0;
  Clock::time_point last_progress_;
  int seen_interrupts_ = 0;
  bool interrupted_ = false;
  bool late_ = false;  // its time was over, but not its run
  std::optional<Clock::time_point> stopped_;
  Clock::time_point started_;
  std::optional<Clock::time_point> ended_;
};

}  // namespace jostle::cli
