// SPDX-License-Identifier: Apache-2.0
// Which threads could run.
#pragma once

#include <bit>
#include <cstdint>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/schedule/operation.h"

namespace jostle {

// A bit set over ThreadId, so that the order is always the same and the
// k-th is found in a few instructions.
class EnabledSet {
 public:
  uint32_t count() const { return count_; }
  bool contains(ThreadId id) const {
    return id / 64 < words_.size() && (words_[id / 64] >> (id % 64) & 1);
  }
  void insert(ThreadId id) {
    JOSTLE_CHECK_NE(id, kNoThread);
    if (id / 64 >= words_.size()) words_.resize(id / 64 + 1);
    count_ += !contains(id);
    words_[id / 64] |= uint64_t{1} << (id % 64);
  }
  void erase(ThreadId id) {
    if (!contains(id)) return;
    JOSTLE_CHECK(count_ != 0);
    --count_;
    words_[id / 64] &= ~(uint64_t{1} << (id % 64));
  }
  void clear() {
    words_.clear();
    count_ = 0;
  }
  // The k-th smallest member, k < count().
  ThreadId nth(uint32_t k) const {
    JOSTLE_CHECK(k < count_ || count_ == 0);
    for (size_t w = 0; w < words_.size(); ++w) {
      const auto here = static_cast<uint32_t>(std::popcount(words_[w]));
      if (k >= here) {
        k -= here;
        continue;
      }
      uint64_t word = words_[w];
      for (; k > 0; --k) word &= word - 1;
      return static_cast<ThreadId>(w * 64 + static_cast<size_t>(std::countr_zero(word)));
    }
    return kNoThread;
  }
  // for (ThreadId t : all members) f(t), in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t word = words_[w]; word; word &= word - 1) {
        f(static_cast<ThreadId>(w * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  EngineVector<uint64_t> words_;
  uint32_t count_ = 0;
};

// The member that follows `id` in the order of numbers, the first one again behind the last.
inline ThreadId next_after(ThreadId id, const EnabledSet& set) {
  ThreadId next = kNoThread;
  set.for_each([&](ThreadId other) {
    if (next == kNoThread && other > id) next = other;
  });
  return next != kNoThread ? next : set.nth(0);
}

}  // namespace jostle
