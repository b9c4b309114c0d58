// SPDX-License-Identifier: Apache-2.0
// The inputs of a campaign that searches for them (`jostle fuzz --input`): shared memory between
// all its target processes and the command, beside the hub.
//
// The command puts the user's corpus there; workers add inputs that covered something new, and
// those that failed. There is no lock: an entry counts when it is marked ready. Zero at the start.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "src/schedule/feedback.h"

namespace jostle {

// The descriptors of the pool and of the table of `jostle cover`, for the target to open.
inline constexpr char kInputsVariable[] = "JOSTLE_INPUTS";
inline constexpr char kCoverVariable[] = "JOSTLE_COVER";

enum class InputOrigin : uint32_t { given, found, failing };

struct InputPool {
  static constexpr uint32_t kMostInputs = 1 << 14;
  static constexpr uint64_t kMostBytes = uint64_t{1} << 28;
  static constexpr uint32_t kLongest = 1 << 20;  // of one input
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    std::atomic<uint32_t> ready;
    InputOrigin origin;
    uint32_t size;
    std::atomic<uint32_t> uses;
    uint64_t offset;
    uint64_t schedule;  // failing: number of the schedule that did
  };

  std::atomic<uint32_t> claimed;
  std::atomic<uint64_t> used;
  std::atomic<uint8_t> seen[kFeatures];  // buckets of counts, as bits
  Entry entries[kMostInputs];
  uint8_t bytes[kMostBytes];

  // The new entry's number; kNone: there is no room.
  uint32_t add(const uint8_t* data, uint32_t size, InputOrigin origin, uint64_t schedule = 0) {
    const uint64_t offset = used.fetch_add(size, std::memory_order_relaxed);
    if (offset + size > kMostBytes) return kNone;
    const uint32_t number = claimed.fetch_add(1, std::memory_order_relaxed);
    if (number >= kMostInputs) return kNone;
    memcpy(bytes + offset, data, size);
    Entry& entry = entries[number];
    entry.origin = origin;
    entry.size = size;
    entry.offset = offset;
    entry.schedule = schedule;
    entry.ready.store(1, std::memory_order_release);
    return number;
  }

  uint32_t count() const {
    const uint32_t n = claimed.load(std::memory_order_acquire);
    return n < kMostInputs ? n : kMostInputs;
  }
  const uint8_t* data(const Entry& entry) const { return bytes + entry.offset; }

  // Takes the features of a run; how many of them no run had before.
  uint32_t take(const Feedback& feedback) {
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < feedback.set_count; ++i) {
      const uint32_t feature = feedback.set[i];
      const uint8_t bucket = bucket_of(feedback.counts[feature]);
      if (seen[feature].load(std::memory_order_relaxed) & bucket) continue;
      fresh += !(seen[feature].fetch_or(bucket, std::memory_order_relaxed) & bucket);
    }
    return fresh;
  }
};

}  // namespace jostle
