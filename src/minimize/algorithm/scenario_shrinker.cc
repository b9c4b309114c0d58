// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/algorithm/scenario_shrinker.h"

namespace jostle {

bool ScenarioShrinker::start(const channel::Draws& failing) {
  size_ = 1;
  kept_ = 0;
  return scenario_.read(failing.list, failing.count) && scenario_.count() > 2;
}

// The next larger number with as many bits, or the smallest with one more.
bool ScenarioShrinker::next_kept() {
  const uint64_t end = uint64_t{1} << scenario_.count();
  if (kept_ != 0) {
    const uint64_t lowest = kept_ & -kept_, carried = kept_ + lowest;
    kept_ = carried | ((kept_ ^ carried) >> 2) / lowest;
    if (kept_ < end) return true;
  }
  ++size_;
  kept_ = (uint64_t{1} << size_) - 1;
  return size_ <= kMost && size_ < scenario_.count();
}

bool ScenarioShrinker::next(channel::Draws& candidate) {
  const uint32_t least_threads = scenario_.threads() < 2 ? scenario_.threads() : 2;
  do {
    if (!next_kept()) return false;
  } while (scenario_.threads_of(kept_) < least_threads);
  scenario_.write(kept_, candidate);
  return true;
}

}  // namespace jostle
