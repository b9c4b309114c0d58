// SPDX-License-Identifier: Apache-2.0
// One session of `jostle step`: shows the threads, reads a command, does it, until the program or
// the person has had enough.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/recording/recording.h"
#include "src/cli/stepping/step_conversation.h"
#include "src/cli/stepping/step_input.h"
#include "src/cli/stepping/step_request.h"
#include "src/cli/target/shared_channel.h"
#include "src/report/symbols/symbolizer.h"

namespace jostle::cli {

struct StepSetup {
  Recording recording;  // all but the schedule and the end
  LaunchPlan plan;
  SharedChannel channel;
};

class StepSession {
 public:
  StepSession(StepSetup setup, TargetProcess process, LineSource source);

  // The exit code.
  int run();

 private:
  using Kind = StepCommand::Kind;

  std::optional<std::string> read_line();
  void perform(const StepCommand& command);
  bool perform_anywhere(const StepCommand& command);
  void let_run(const StepCommand& command);
  bool fill_order(const StepCommand& command);
  std::string why_not(uint32_t thread);
  void advance(const StepCommand& command);
  bool is_wanted(const Place& place);
  void tell_stop(const StepCommand& command);
  void show_threads();
  void show_locks();
  void show_stack(uint32_t thread);
  void show_prompt();
  void save(const std::string& path);
  void attach(const std::vector<std::string>& words);
  void program_ended();
  std::string label(uint32_t thread);
  report::Symbolizer& symbols();
  std::optional<uint64_t> read_memory(uintptr_t address, uint32_t size) const;

  StepSetup setup_;
  channel::Channel& channel_;
  StepConversation conversation_;
  LineSource source_;
  bool interactive_;
  bool colour_;
  std::optional<report::Symbolizer> symbols_;
  size_t modules_ = 0;
  StepCommand last_;              // what an empty line repeats
  uint64_t handed_over_ = 0;      // to a strategy, so often
  std::optional<int> exit_code_;  // once the program has ended
  bool quit_ = false;
};

}  // namespace jostle::cli
