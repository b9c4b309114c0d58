// SPDX-License-Identifier: Apache-2.0
// What is remembered of accesses while recording: the stack and the locks held, each different one
// once.
#pragma once

#include <cstdint>

#include "src/runtime/scheduler/thread.h"
#include "src/schedule/run_end.h"

namespace jostle::rt {

class RaceContexts {
 public:
  // A new run.
  void clear();
  // The running thread at `pc`. 0 when there is no room for more.
  uint32_t add(const Thread& thread, uintptr_t pc);
  // Fills in stack and locks; of context 0 the stack is `pc` alone.
  void describe(uint32_t context, uintptr_t pc, channel::RaceAccess& to) const;

 private:
  // One entry in words_: depth and number of locks, the stack's addresses, three words per lock.
  static constexpr uint32_t kWords = 1 << 23;
  static constexpr uint32_t kSlots = 1 << 18;

  uintptr_t* words_ = nullptr;
  uint32_t* slots_ = nullptr;  // where entries begin, by their hash
  uint32_t used_ = 1;          // 0 means none
  uint32_t count_ = 0;
};

}  // namespace jostle::rt
