// SPDX-License-Identifier: Apache-2.0
// A wild write of the program can hit the engine's own memory: they share a process. What never
// changes during a campaign is summed up now and then; when the sum differs, nothing that follows
// can be believed, and the campaign ends with an error instead of a success.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"

namespace jostle::engine {

class Integrity {
 public:
  explicit Integrity(const channel::Channel& channel) : channel_(channel) {}

  // Whenever a snapshot has been taken.
  void note() { sum_ = sum(); }
  bool holds() const { return sum() == sum_; }
  // Looks only every so many runs: that is enough, because the campaign's end looks, too.
  bool holds_at(uint64_t run) const { return run % 1024 != 0 || holds(); }

 private:
  uint64_t sum() const;

  const channel::Channel& channel_;
  uint64_t sum_ = 0;
};

}  // namespace jostle::engine
