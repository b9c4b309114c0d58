// SPDX-License-Identifier: Apache-2.0
// "What if the memory order were another here?" (Config::order_changes), and which operations have
// an order at all (Config::watch_orders). For runs with weak memory.
//
// Places are those of the program's own code: without optimisation all loads are one instruction of
// std::atomic.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"

namespace jostle::rt {

class OrderChanges {
 public:
  void begin_run(channel::Channel& channel);
  // False: every operation has the order that it has.
  bool wanted() const { return count_ != 0 || watches_; }
  bool watches() const { return watches_; }
  // New fences are executed as steps of their own, before their operation is reached.
  bool fences_are_steps() const { return fences_are_steps_; }

  // The operation of the running thread at `pc`, as it is to be executed.
  struct Orders {
    int success, failure;  // kNoOrder: it has none
    int fence_before;      // its order; 0: none
  };
  Orders at(OpKind kind, uintptr_t pc, int success, int failure = channel::kNoOrder);

  // A load could have been executed after a store that comes after it.
  void note_late(uint64_t load, uint64_t store);
  uint64_t location_of(uintptr_t pc) const;

 private:
  void note_site(OpKind kind, uintptr_t pc, uint64_t location, int success, int failure);

  channel::Channel* channel_ = nullptr;
  uint32_t count_ = 0;
  bool watches_ = false;
  bool fences_are_steps_ = false;
};

}  // namespace jostle::rt
