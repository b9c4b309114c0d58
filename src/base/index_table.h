// SPDX-License-Identifier: Apache-2.0
// Finds the entries of an array by their content: a hash table of indices into it.
//
// The array and what its entries are belong to the caller, who says what an entry's hash is and
// whether it is the wanted one. Entries are added and never removed, but for all at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/probe.h"

namespace jostle {

class IndexTable {
 public:
  static constexpr uint32_t kNotThere = UINT32_MAX;

  // The index of the entry with this hash for which `is_wanted(index)`, or kNotThere.
  template <typename IsWanted>
  uint32_t find(uint64_t hash, const IsWanted& is_wanted) const {
    if (slots_.empty()) return kNotThere;
    const size_t at = probe(hash, slots_.size(),
                            [&](size_t i) { return !slots_[i] || is_wanted(slots_[i] - 1); });
    return slots_[at] ? slots_[at] - 1 : kNotThere;
  }

  // The caller has appended the entry `index`; all before it are in the table. `hash_of(i)` is the
  // hash of entry i.
  template <typename HashOf>
  void add(uint32_t index, const HashOf& hash_of) {
    JOSTLE_CHECK_EQ(index, count_);
    if (slots_.size() <= 2 * size_t{count_}) {
      const size_t size = slots_.empty() ? kFirstSlots : slots_.size() * 2;
      slots_.clear();
      slots_.resize(size);
      for (uint32_t i = 0; i < count_; ++i) place(i, hash_of(i));
    }
    place(index, hash_of(index));
    ++count_;
  }

  void clear() {
    slots_.clear();
    count_ = 0;
  }

 private:
  static constexpr size_t kFirstSlots = 64;

  void place(uint32_t index, uint64_t hash) {
    slots_[probe(hash, slots_.size(), [&](size_t i) { return !slots_[i]; })] = index + 1;
  }

  EngineVector<uint32_t> slots_;  // a power of two; 0 is free, else index + 1
  uint32_t count_ = 0;
};

}  // namespace jostle
