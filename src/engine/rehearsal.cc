// SPDX-License-Identifier: Apache-2.0
#include "src/engine/rehearsal.h"

#include <fcntl.h>
#include <unistd.h>

#include "src/engine/executor.h"
#include "src/engine/run_start.h"
#include "src/runtime/hook/hook.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {
namespace {

// A rehearsal that does not end has shown enough by then, and is the last: somebody waits.
constexpr uint64_t kLongest = 1'000'000'000;
constexpr uint64_t kMostSteps = 200'000;

// Standard output and error go to /dev/null as long as one of these lives.
class Silence {
 public:
  Silence() {
    for (int i = 0; i < 2; ++i) kept_[i] = REAL(fcntl)(i + 1, F_DUPFD_CLOEXEC, 3);
    silence_output();
  }
  ~Silence() {
    for (int i = 0; i < 2; ++i) {
      if (kept_[i] < 0) continue;
      REAL(dup2)(kept_[i], i + 1);
      REAL(close)(kept_[i]);
    }
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int kept_[2];
};

}  // namespace

uint64_t rehearse(channel::Channel& channel, uint32_t times) {
  const channel::Config config = channel.config;
  channel.config.executor = channel::Executor::fork;
  channel.config.record = 0;
  channel.config.run_nanoseconds = kLongest;
  channel.config.max_steps = kMostSteps;
  uint64_t number = 1;
  if (times != 0) {
    const Silence silence;
    Executor executor(channel);
    executor.start();
    for (; number <= times; ++number) {
      // One in order, then others: they may touch what that one does not get to.
      begin_schedule(channel, make_strategy(number == 1 ? "none" : "random"), number);
      if (executor.run(number) == Executor::Result::failed) break;
      if (channel.record.end.outcome == channel::Outcome::timed_out) break;
    }
  }
  channel.config = config;
  return number + 1;  // also after a break: a number is not used twice
}

}  // namespace jostle::engine
