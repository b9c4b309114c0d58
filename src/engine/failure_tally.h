// SPDX-License-Identifier: Apache-2.0
// How often failures of each signature came, and which of them are handed over to the command: the
// first, second, fourth, … When the command cannot confirm one, another may do.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"

namespace jostle::engine {

struct FailureTally {
  struct Seen {
    uint64_t signature;
    uint64_t times;
    // `dense`: the signature hides what failed, and more are handed over: all up to the eighth,
    // then every second, from the sixteenth on every fourth, …
    bool is_due(bool dense = false) const {
      uint64_t step = 1;
      while (step * (dense ? 8 : 2) <= times) step *= 2;
      return times % step == 0;
    }
  };

  // One more.
  Seen count(uint64_t signature) {
    for (Seen& one : seen) {
      if (one.signature != signature) continue;
      ++one.times;
      return one;
    }
    seen.push_back({signature, 1});
    return seen.back();
  }

  EngineVector<Seen> seen;
};

}  // namespace jostle::engine
