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
    if (id / 64 >= words_.size()) [[unlikely]]
      make_blocks(id / 64 + 1);
    uint64_t& word = words_[id / 64];
    const uint64_t bit = uint64_t{1} << (id % 64);
    count_ += (word & bit) == 0;
    word |= bit;
  }
  // Several at a time, of the n-th block.
  void insert_block(size_t n, uint64_t members) {
    if (members == 0) return;
    if (n >= words_.size()) make_blocks(n + 1);
    count_ += static_cast<uint32_t>(std::popcount(members & ~words_[n]));
    words_[n] |= members;
  }
  void erase_block(size_t n, uint64_t members) {
    if (n >= words_.size()) return;
    count_ -= static_cast<uint32_t>(std::popcount(members & words_[n]));
    words_[n] &= ~members;
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
    if (words_.size() == 1 && count_ != 0) [[likely]]
      return nth_bit(words_[0], k);
    return nth_of_many(k);
  }
  // The smallest member above `id`; kNoThread: none.
  ThreadId above(ThreadId id) const {
    size_t w = (size_t{id} + 1) / 64;
    if (w >= words_.size()) return kNoThread;
    uint64_t word = words_[w] >> ((id + 1) % 64) << ((id + 1) % 64);
    while (word == 0) {
      if (++w == words_.size()) return kNoThread;
      word = words_[w];
    }
    return static_cast<ThreadId>(w * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
  // Members in blocks of 64: those of the n-th as bits.
  size_t blocks() const { return words_.size(); }
  uint64_t block(size_t n) const { return n < words_.size() ? words_[n] : 0; }
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
  __attribute__((noinline)) void make_blocks(size_t count) { words_.resize(count); }

  ThreadId nth_of_many(uint32_t k) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      const auto here = static_cast<uint32_t>(std::popcount(words_[w]));
      if (k >= here) {
        k -= here;
        continue;
      }
      return static_cast<ThreadId>(w * 64) + nth_bit(words_[w], k);
    }
    return kNoThread;
  }
  // Where the k-th set bit is: by halves, because a loop over k takes long in a crowd.
  static ThreadId nth_bit(uint64_t word, uint32_t k) {
    uint32_t at = 0;
    for (uint32_t half = k < 4 ? 0 : 32; half >= 8; half /= 2) {
      const uint64_t low = word & ((uint64_t{1} << half) - 1);
      const auto here = static_cast<uint32_t>(std::popcount(low));
      if (k < here) continue;
      k -= here;
      word >>= half;
      at += half;
    }
    for (; k > 0; --k) word &= word - 1;
    return at + static_cast<ThreadId>(std::countr_zero(word));
  }

  EngineVector<uint64_t> words_;
  uint32_t count_ = 0;
};

// The member that follows `id` in the order of numbers, the first one again behind the last.
inline ThreadId next_after(ThreadId id, const EnabledSet& set) {
  const ThreadId next = set.above(id);
  return next != kNoThread ? next : set.nth(0);
}

}  // namespace jostle
