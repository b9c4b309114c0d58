// SPDX-License-Identifier: Apache-2.0
// Pairs of places in the code at which two threads stood at the same time, of one run. Bounded: a
// pair may be forgotten, none is made up.
#pragma once

#include <cstdint>

namespace jostle::rt {

class MetPairs {
 public:
  void begin_run() { ++run_; }
  void add(uintptr_t a, uintptr_t b) {
    order(a, b);
    pairs_[slot(a, b)] = {a, b, run_};
  }
  bool contains(uintptr_t a, uintptr_t b) const {
    order(a, b);
    const Pair& pair = pairs_[slot(a, b)];
    return pair.run == run_ && pair.a == a && pair.b == b;
  }

 private:
  struct Pair {
    uintptr_t a = 0, b = 0;
    uint64_t run = 0;
  };
  static constexpr uintptr_t kMost = 1 << 8;

  static void order(uintptr_t& a, uintptr_t& b) {
    if (a <= b) return;
    const uintptr_t larger = a;
    a = b;
    b = larger;
  }
  static uintptr_t slot(uintptr_t a, uintptr_t b) { return (a >> 2 ^ b >> 1) % kMost; }

  Pair pairs_[kMost];
  uint64_t run_ = 1;
};

}  // namespace jostle::rt
