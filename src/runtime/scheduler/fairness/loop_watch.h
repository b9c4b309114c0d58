// SPDX-License-Identifier: Apache-2.0
// A thread that may be waiting in a loop, watched round by round: see schedule/waiting_loops.h. For
// strategies that explore all schedules; the others have spin_detector.h, which guesses.
#pragma once

#include <cstdint>

namespace jostle::rt {

struct LoopWatch {
  static constexpr uint32_t kMostReads = 32;
  static constexpr uint32_t kMostHeads = 4;

  struct Read {
    uintptr_t pc, object;
    uint32_t size;
    uint64_t value;
  };
  // The thread has come here, in this state, and has only read since. Inner loops behind the outer
  // ones.
  struct Head {
    uintptr_t pc;
    uint64_t state;
    uint32_t first_read, first_step;
  };

  Read reads[kMostReads];  // since it last changed something; the last ones
  uint32_t read_count = 0;
  uint32_t steps = 0;
  Head heads[kMostHeads];
  uint32_t head_count = 0;
  // It stands in front of an operation that is a whole round: does not go on before the location
  // has another value than those with which it comes back.
  bool awaits = false;
  // It waits for the rest of this run, because what it looked at was not right: other runs have it
  // right.
  bool is_blocked = false;

  void changed_something() { read_count = head_count = 0; }
  bool in_loop() const { return head_count != 0; }
  uint64_t state() const { return in_loop() ? heads[head_count - 1].state : 0; }

  bool has_read(uintptr_t pc, uintptr_t object) const {
    for (uint32_t i = 0; i < read_count && i < kMostReads; ++i) {
      if (reads[i].pc == pc && reads[i].object == object) return true;
    }
    return false;
  }
  void add(const Read& read) { reads[read_count++ % kMostReads] = read; }

  // Back at a head that it has passed, or at a new one. Null: it was not there before.
  const Head* find(uintptr_t pc) const {
    for (uint32_t i = 0; i < head_count; ++i) {
      if (heads[i].pc == pc) return &heads[i];
    }
    return nullptr;
  }
  void enter(uintptr_t pc, uint64_t state) {
    if (const Head* outer = find(pc)) head_count = static_cast<uint32_t>(outer - heads);
    if (head_count == kMostHeads) head_count = 0;
    heads[head_count++] = {pc, state, read_count, steps};
  }
};

}  // namespace jostle::rt
