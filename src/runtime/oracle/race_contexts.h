// SPDX-License-Identifier: Apache-2.0
// What is remembered of accesses while recording: the stack and the locks held, each different one
// once.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/index_table.h"
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
  static constexpr size_t kMost = 1 << 17;

  static uint32_t size_of(const uintptr_t* entry) {
    return 1 + static_cast<uint32_t>(*entry) + 3 * static_cast<uint32_t>(*entry >> 32);
  }

  uintptr_t* words_ = nullptr;
  uint32_t used_ = 1;              // 0 means none
  EngineVector<uint32_t> begins_;  // of the entries
  IndexTable table_;               // of begins_, by what is there
};

}  // namespace jostle::rt
