// SPDX-License-Identifier: Apache-2.0
// Loops in which threads of a program wait by reading memory, as far as they are known. Learned in
// runs, kept over the campaign, and in memory that runs in processes of their own share.
//
// A loop has a head: the place of its first read. A round that brings the thread back to the head
// in the state in which it was there before, and in which it wrote nothing, might as well not have
// happened. If the round is a single operation on one location, its outcome depends on the thread's
// state and the value only: which pairs lead round again is noted here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/hash.h"
#include "src/base/probe.h"

namespace jostle {

class WaitingLoops {
 public:
  enum class Kind : uint8_t {
    unknown,  // no head of a loop
    one,      // rounds are one operation on one location, so far
    many,     // rounds look at more
  };

  Kind kind_of(uintptr_t pc) const {
    const Head* head = find(pc);
    return head ? head->kind : Kind::unknown;
  }
  // False: it was known, or there is no room.
  bool learn(uintptr_t pc, Kind kind) {
    if (Head* head = const_cast<Head*>(find(pc))) {
      if (head->kind == kind) return false;
      head->kind = kind;
      return true;
    }
    if (head_count_ == kMostHeads) return false;
    heads_[head_count_++] = {pc, kind};
    return true;
  }

  // What is known, for another process.
  template <typename Visit>
  void each_head(const Visit& visit) const {
    for (uint32_t i = 0; i < head_count_; ++i) visit(heads_[i].pc, heads_[i].kind);
  }
  template <typename Visit>
  void each_round(const Visit& visit) const {
    for (const uint64_t key : rounds_) {
      if (key != 0) visit(key);
    }
  }
  // Changes with what these visit.
  uint64_t revision() const {
    uint64_t sum = round_count_;
    each_head([&](uintptr_t, Kind kind) { sum += 1 + static_cast<uint64_t>(kind); });
    return sum;
  }
  bool learn_round_again(uint64_t key) { return key == 0 || add(key); }

  // Does a thread in this state that finds this value go round again? Not as far as is known:
  // false.
  bool goes_round(uint64_t state, uint64_t value) const {
    return rounds_[place_of(key_of(state, value))] != 0;
  }
  // False: no room.
  bool learn_round(uint64_t state, uint64_t value) { return add(key_of(state, value)); }

 private:
  static constexpr uint32_t kMostHeads = 64;
  static constexpr size_t kMostRounds = 1 << 14;
  struct Head {
    uintptr_t pc;
    Kind kind;
  };

  const Head* find(uintptr_t pc) const {
    for (uint32_t i = 0; i < head_count_; ++i) {
      if (heads_[i].pc == pc) return &heads_[i];
    }
    return nullptr;
  }
  // Where the key is, or the empty place for it.
  size_t place_of(uint64_t key) const {
    return probe(key, kMostRounds, [&](size_t i) { return rounds_[i] == 0 || rounds_[i] == key; });
  }
  bool add(uint64_t key) {
    uint64_t& round = rounds_[place_of(key)];
    if (round == key) return true;
    if (2 * round_count_ >= kMostRounds) return false;
    round = key;
    ++round_count_;
    return true;
  }
  static uint64_t key_of(uint64_t state, uint64_t value) {
    const uint64_t key = combine(state, value);
    return key ? key : 1;
  }

  uint32_t head_count_;
  Head heads_[kMostHeads];
  size_t round_count_;
  uint64_t rounds_[kMostRounds];
};

}  // namespace jostle
