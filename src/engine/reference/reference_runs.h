// SPDX-License-Identifier: Apache-2.0
// The runs of the process that knows what is right.
#pragma once

#include "src/engine/executor.h"
#include "src/schedule/channel.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {

class ReferenceRuns {
 public:
  explicit ReferenceRuns(channel::Channel& channel) : channel_(channel), executor_(channel) {
    executor_.start();
  }

  // False: it could not be done.
  bool run(Decider& decider);
  // Runs are made in this process, which is rewound.
  bool rewinds() const { return executor_.rewinds(); }
  const channel::RunRecord& last() const { return channel_.record; }
  channel::RunRecord& last() { return channel_.record; }
  channel::Config& config() { return channel_.config; }

 private:
  // Nothing but the decider.
  class OneDecider final : public Strategy {
   public:
    Turn begin_run(const RunStart& start) override {
      decider->begin(start);
      return {decider};
    }
    Decider* decider = nullptr;
  };

  channel::Channel& channel_;
  Executor executor_;
  OneDecider strategy_;
  uint64_t number_ = 0;
};

// Not so of runs that were ended from outside, by a limit: how they would have come out nobody
// knows.
bool shows_results(channel::Outcome outcome);

}  // namespace jostle::engine
