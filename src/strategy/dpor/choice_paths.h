// SPDX-License-Identifier: Apache-2.0
// The choices made inside of one action, in order, as a number.
//
// How many there are, and between how many alternatives, is known only while the action executes:
// so a planned step says how its choices begin, and once it has been executed, all of them.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/base/index_table.h"

namespace jostle::dpor {

using ChoicePath = uint32_t;
inline constexpr ChoicePath kNoChoice = UINT32_MAX;

class ChoicePaths {
 public:
  // `path` and one more, between so many alternatives.
  ChoicePath extended(ChoicePath path, uint32_t taken, uint32_t alternatives) {
    const auto hash_of = [this](uint32_t i) { return hash(entries_[i]); };
    const Entry wanted = {path, taken, alternatives, length(path) + 1};
    const ChoicePath found = table_.find(hash(wanted), [&](uint32_t i) {
      const Entry& entry = entries_[i];
      return entry.rest == path && entry.taken == taken && entry.alternatives == alternatives;
    });
    if (found != IndexTable::kNotThere) return found;
    const auto added = static_cast<ChoicePath>(entries_.size());
    entries_.push_back(wanted);
    table_.add(added, hash_of);
    return added;
  }

  uint32_t length(ChoicePath path) const { return path == kNoChoice ? 0 : entries_[path].length; }
  ChoicePath beginning(ChoicePath path, uint32_t count) const {
    while (length(path) > count) path = entries_[path].rest;
    return path;
  }
  // REQUIRES: i < length(path).
  uint32_t taken(ChoicePath path, uint32_t i) const {
    return entries_[beginning(path, i + 1)].taken;
  }

  // The number of alternatives of its last choice.
  uint32_t alternatives(ChoicePath path) const { return entries_[path].alternatives; }

  // Is one the beginning of the other?
  bool agree(ChoicePath a, ChoicePath b) const {
    if (a == b || a == kNoChoice || b == kNoChoice) return true;
    return length(a) < length(b) ? beginning(b, length(a)) == a : beginning(a, length(b)) == b;
  }

  void clear() {
    entries_.clear();
    table_.clear();
  }

 private:
  struct Entry {
    ChoicePath rest;
    uint32_t taken, alternatives;
    uint32_t length;
  };
  static uint64_t hash(const Entry& entry) {
    return combine(combine(entry.rest, entry.taken), entry.alternatives);
  }

  EngineVector<Entry> entries_;
  IndexTable table_;
};

}  // namespace jostle::dpor
