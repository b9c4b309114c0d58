// SPDX-License-Identifier: Apache-2.0
// Does a thread spin? It does when it goes round a cycle of operations that only read, and reads
// the same values again each time: nothing changes until somebody else writes.
//
// Brent's cycle finding on the sequence of (code, address, value): remember one element, and every
// time it comes back compare a hash of all elements in between with that of the round before. The
// remembered element is renewed at growing distances so that the cycle need not start at once.
#pragma once

#include <cstdint>

namespace jostle::rt {

class SpinDetector {
 public:
  // The thread is about to read. True when it has gone round the same cycle often enough.
  bool read(uintptr_t pc, uintptr_t address, uint64_t value) {
    has_read_ = true;
    const uint64_t element = mix(mix(pc, address), value);
    round_hash_ = mix(round_hash_, element);
    ++distance_;
    if (element == anchor_) {
      rounds_ = round_hash_ == last_round_hash_ ? rounds_ + 1 : 0;
      last_round_hash_ = round_hash_;
      round_hash_ = 0;
      distance_ = 0;
      if (rounds_ >= needed_) spinning_ = true;
    } else if (distance_ > reach_) {
      anchor_ = element;
      round_hash_ = last_round_hash_ = 0;
      rounds_ = 0;
      distance_ = 0;
      reach_ = reach_ < kLongestCycle ? reach_ * 2 : 4;
    }
    return spinning_;
  }
  // It did something else than read.
  void progress() {
    if (!has_read_) [[likely]]
      return;
    has_read_ = false;
    anchor_ = 0;
    rounds_ = 0;
    reach_ = 4;
    distance_ = 0;
    round_hash_ = last_round_hash_ = 0;
    spinning_ = false;
  }
  // It was watched more closely, and got on: a loop that ends by itself. The next one that looks
  // like it may take longer.
  void false_alarm() {
    progress();
    if (needed_ < kMostRounds) needed_ *= 4;
  }
  bool spinning() const { return spinning_; }

 private:
  // Loops that spin a bounded number of times before they block are common (glibc's adaptive
  // mutexes, libstdc++'s atomic wait: 16 rounds); only longer ones are put aside.
  static constexpr uint32_t kRounds = 20;
  static constexpr uint32_t kMostRounds = 1 << 16;
  static constexpr uint32_t kLongestCycle = 1 << 14;

  static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = (a ^ b) * 0x9E3779B97F4A7C15;
    return x ^ (x >> 29);
  }

  uint64_t anchor_ = 0, round_hash_ = 0, last_round_hash_ = 0;
  uint32_t distance_ = 0, reach_ = 4, rounds_ = 0, needed_ = kRounds;
  bool has_read_ = false;  // since then
  bool spinning_ = false;
};

}  // namespace jostle::rt
