// SPDX-License-Identifier: Apache-2.0
// Which execution a run is, as far as atomics are concerned: which store each operation has read,
// and the modification orders. A sum, so that it is the same in whatever order the operations of
// different threads were executed.
#pragma once

#include <cstdint>

#include "src/base/hash.h"
#include "src/runtime/weak/history.h"

namespace jostle::weak {

class GraphIdentity {
 public:
  void clear() { sum_ = 0; }
  uint64_t value() const { return sum_; }

  // Operations have names that are the same in every run; the value that was there before has 0.
  void read(uint64_t reader, const Store& store) {
    sum_ += scattered(combine(combine(kReads, reader), store.origin.name));
  }
  // The store that was made last has got its place.
  void placed(const History& history) {
    uint32_t at = 0;
    while (at < history.last() && history.at(at).serial != history.latest) ++at;
    const uint64_t name = history.at(at).origin.name;
    for (uint32_t i = 0; i < history.count; ++i) {
      const uint64_t other = history.at(i).origin.name;
      if (i < at) sum_ += scattered(combine(combine(kPrecedes, other), name));
      if (i > at) sum_ += scattered(combine(combine(kPrecedes, name), other));
    }
  }

 private:
  static constexpr uint64_t kReads = 0x7266, kPrecedes = 0x6D6F;

  static uint64_t scattered(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }

  uint64_t sum_ = 0;
};

}  // namespace jostle::weak
