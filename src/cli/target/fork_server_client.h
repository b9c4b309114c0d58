// SPDX-License-Identifier: Apache-2.0
// A program that waits in jostle::check and forks targets for us: see src/schedule/fork_server.h.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "src/cli/support/descriptor.h"
#include "src/cli/support/error.h"
#include "src/cli/target/launch.h"
#include "src/schedule/fork_server.h"

namespace jostle::cli {

class ForkServer {
 public:
  explicit ForkServer(int socket) : socket_(socket) {}

  Result<pid_t> start(const LaunchPlan& plan, int channel_descriptor);
  bool has_ended(pid_t pid);
  // Waits for its end.
  int reap(pid_t pid);

  struct Outcome {
    int exit_code = 0;
    uint64_t schedules = 0, inputs = 0, rejected = 0, scenarios = 0, not_judged = 0;
    uint64_t executions = 0;  // of verify
    double seconds = 0;
    std::string report;  // of the failures
    std::string replay;  // file of the first
  };
  // The last word.
  void finish(const Outcome& outcome);

 private:
  // An answer without an error of its own when the program is gone.
  fork_server::Answer ask(fork_server::Request request, const int* descriptors = nullptr);

  Descriptor socket_;
};

}  // namespace jostle::cli
