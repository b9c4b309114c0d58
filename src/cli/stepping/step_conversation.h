// SPDX-License-Identifier: Apache-2.0
// The command's half of the conversation with a program that is stepped through: see
// channel::StepExchange.
#pragma once

#include <optional>

#include "src/cli/target/launch.h"
#include "src/cli/target/shared_channel.h"
#include "src/cli/target/signals.h"

namespace jostle::cli {

class StepConversation {
 public:
  StepConversation(channel::Channel& channel, TargetProcess process)
      : channel_(channel), process_(std::move(process)) {}

  // The order is filled in: sends it.
  void send();
  // Waits for the next stop. False: the process has ended. Ctrl-C asks the program to stop at its
  // next scheduling point; again, or another signal, ends it.
  bool wait_for_stop();
  // Has the process ended, without waiting for it?
  bool has_ended();
  void kill();

  pid_t pid() const { return process_.pid(); }
  // Of waitpid, once it has ended.
  int status() const { return status_.value_or(0); }
  // The user ended it through us.
  bool was_killed() const { return killed_; }
  // Signals came in since the last call: the last of them, 0 when there is none.
  int take_signal();

 private:
  bool react_to_signals(bool& asked);

  channel::Channel& channel_;
  SignalWatch signals_;
  TargetProcess process_;
  uint32_t seen_stops_ = 0;
  int seen_signals_ = 0;
  std::optional<int> status_;
  bool killed_ = false;
};

}  // namespace jostle::cli
