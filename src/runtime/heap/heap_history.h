// SPDX-License-Identifier: Apache-2.0
// Who allocated and who freed a block, with the stacks: for reports, so only while recording.
//
// The last events are kept in a ring; what is older is known as far as the block's header tells.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/run_end.h"

namespace jostle::rt {

class HeapHistory {
 public:
  void allocated(uintptr_t block, uintptr_t pc) { note(block, pc, false); }
  void freed(uintptr_t block, uintptr_t pc) { note(block, pc, true); }

  // Fills in what is known of the block that begins there.
  void describe(uintptr_t block, channel::ObjectRecord& object) const;

 private:
  static constexpr uint32_t kDepth = 20;
  static constexpr uint64_t kEvents = 1 << 15;
  struct Event {
    uintptr_t block;
    uint64_t event;  // of the thread, that comes next
    uint32_t thread;
    bool frees;
    uint8_t depth;
    uintptr_t pc[kDepth];
  };

  void note(uintptr_t block, uintptr_t pc, bool frees);

  Event* events_ = nullptr;
  uint64_t count_ = 0;
};

extern JOSTLE_HIDDEN HeapHistory g_heap_history;

}  // namespace jostle::rt
