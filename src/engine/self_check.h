// Is a rewound process really as good as new? The first runs of a campaign are done three times:
// once more in this process, following what the first one did, and once in a child. All three must
// be the same. If not, runs get a process each.
#pragma once

#include <cstdint>

#include "src/engine/executor.h"
#include "src/runtime/memory/sharing.h"
#include "src/schedule/channel.h"

namespace jostle::engine {

class SelfCheck {
 public:
  SelfCheck(channel::Channel& channel, Executor& executor)
      : channel_(channel),
        executor_(executor),
        forks_(channel.config.executor == channel::Executor::automatic) {}

  // After every run, its record counted already: it may be overwritten here.
  void after_run() {
    if (left_ != 0 && executor_.rewinds()) check();
  }

 private:
  void check();

  channel::Channel& channel_;
  Executor& executor_;
  bool forks_;  // with --executor=snapshot nothing is ever forked
  uint32_t left_ = 3;
  rt::SharingCell* scratch_ = nullptr;
};

}  // namespace jostle::engine
