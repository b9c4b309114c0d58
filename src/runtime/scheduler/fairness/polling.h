// SPDX-License-Identifier: Apache-2.0
// A thread that polls: it goes round a loop that asks for the time, waits for a while at most, and
// leaves the memory of others as it was.
//
// Such a thread is never in the same state twice, because it knows what time it is. When all do
// nothing else for long, the clock goes on by *large steps*: a thread that reads it sees a time
// that is a multiple of kLargeStep later than the one before, or the same. That is a run like any
// other, on a machine that is slow. And whatever a program makes of such times (seconds,
// nanoseconds, a deadline a second from now) changes from round to round by a multiple of
// kStepSeconds: states are compared by what words leave when they are divided by it. A counter of
// rounds is still seen.
//
// A number of four bytes may lie where half of such a time was before: the other half is still
// there, and nobody's. It is known by the times that were read last.
#pragma once

#include <cstdint>

namespace jostle::rt {

struct Polling {
  // A prime, so that nothing else changes by multiples of it.
  static constexpr uint64_t kStepSeconds = 1009;
  static constexpr int64_t kLargeStep = kStepSeconds * 1'000'000'000;
  // Before that everybody has polled for so long, by the clock or by what was done: shorter
  // deadlines than this strike in the order in which they are set.
  static constexpr int64_t kLong = 60'000'000'000;
  static constexpr uint64_t kManyEvents = 1'000'000;
  // With large steps a loop that only reads the clock is carried along after so many readings.
  static constexpr uint32_t kReadings = 64;

  uintptr_t pc = 0;          // where it asks for the time; 0: it is not known to poll
  uint32_t words = 0;        // so many it has written to
  int64_t since = 0;         // by the clock
  uint64_t since_event = 0;  // of the run
  // What was in these words when it asked, as hashes: others may have been in the middle of a
  // round.
  static constexpr uint32_t kMostLeft = 8;
  uint64_t left[kMostLeft] = {};
  uint32_t left_count = 0;

  bool active() const { return pc != 0; }
  // False: it leaves one thing after another.
  bool knows(uint64_t hash) {
    for (uint32_t i = 0; i < left_count; ++i) {
      if (left[i] == hash) return true;
    }
    if (left_count == kMostLeft) return false;
    left[left_count++] = hash;
    return true;
  }
  bool is_long(int64_t now, uint64_t event) const {
    return active() && (now - since >= kLong || event - since_event >= kManyEvents);
  }
};

// With large steps: the upper halves of times that were read last.
class ReadTimes {
 public:
  void add(int64_t time) {
    const auto upper = static_cast<uint32_t>(time >> 32);
    if (upper == 0 || has(upper)) return;
    uppers_[next_++ % kMost] = upper;
  }

  // What a word leaves when it is compared with what it was in another round.
  uint64_t rest(uint64_t word) const {
    const auto lower = static_cast<uint32_t>(word), upper = static_cast<uint32_t>(word >> 32);
    if (lower < kSmall && upper != 0 && has(upper)) return lower;
    return word % Polling::kStepSeconds;
  }

 private:
  static constexpr uint32_t kMost = 16;
  static constexpr uint32_t kSmall = 1 << 16;  // hardly any time has such a lower half

  bool has(uint32_t upper) const {
    for (const uint32_t each : uppers_) {
      if (each == upper) return true;
    }
    return false;
  }

  uint32_t uppers_[kMost] = {};
  uint32_t next_ = 0;
};

}  // namespace jostle::rt
