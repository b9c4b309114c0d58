// SPDX-License-Identifier: Apache-2.0
// The workers of a campaign: one target process each, which take turns in the numbers of schedules
// and share what they learn through the hub. To the rest of the command they look like one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/campaign/campaign_process.h"

namespace jostle::cli {

class Workers {
 public:
  static Result<Workers> start(const LaunchPlan& plan, const channel::Config& config,
                               const Installation& installation, SharedHub hub, uint32_t count);

  // False when all are done. See Campaign::step.
  Result<bool> step(SignalWatch& signals, std::chrono::milliseconds poll = Campaign::kPoll);
  std::optional<Finding> next_finding();
  // See Campaign::go_on.
  Result<bool> go_on(bool in_processes);
  void stop();

  Totals totals() const;
  std::vector<Totals> each() const;
  channel::StopReason stop_reason() const;
  std::string note() const;
  std::string executor_note() const;
  std::string file_note() const;
  void pause();
  void go_on_running();
  bool interrupted() const;
  std::chrono::nanoseconds elapsed() const;
  Hub& hub() const { return *hub_; }
  // Of the first worker.
  const channel::Channel& channel() const { return campaigns_.front().channel(); }

 private:
  explicit Workers(SharedHub hub) : hub_(std::move(hub)) {}

  SharedHub hub_;
  std::vector<Campaign> campaigns_;
};

}  // namespace jostle::cli
