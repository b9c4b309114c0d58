// SPDX-License-Identifier: Apache-2.0
// Runs the program once under a schedule that has been prepared (Scheduler::begin_run or
// begin_replay), and comes back with the run's record complete and the program as it was before.
//
// Two ways: in this process, which is rewound afterwards (microseconds), or in a child (hundreds of
// them, for programs that cannot be rewound).
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"

namespace jostle::engine {

class Executor {
 public:
  explicit Executor(channel::Channel& channel) : channel_(channel) {}

  // Decides which way.
  void start();
  bool rewinds() const { return rewinds_; }
  // Rewinding was asked for and turned out to be impossible: the status says why.
  bool refused() const { return refused_; }

  enum class Result {
    done,
    again,  // not done: the program cannot be rewound, and from now on runs have their own process.
            // Prepare the same schedule again.
    failed,  // no process to be had
  };
  Result run(uint64_t number);

  // Once after the snapshot has been taken anew.
  bool snapshot_is_new() {
    const bool renewed = renewed_;
    renewed_ = false;
    return renewed;
  }

  // Gives up rewinding, with one line why.
  void use_processes(const char* why);

 private:
  Result run_here(uint64_t number);
  Result run_in_child();
  void renew_snapshot();

  channel::Channel& channel_;
  bool rewinds_ = false;
  bool renewed_ = false;
  bool refused_ = false;
};

}  // namespace jostle::engine
