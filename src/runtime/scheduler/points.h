// SPDX-License-Identifier: Apache-2.0
// Which operations are scheduling points? All that others can notice, unless the user wants fewer:
// synchronisation only, or only in certain functions (stop points).
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/memory/call_stack.h"
#include "src/schedule/channel.h"
#include "src/schedule/operation.h"

namespace jostle::rt {

class Points {
 public:
  // The user's wish for the runs that follow.
  void set(const channel::Channel& channel);

  bool all() const { return which_ == channel::Points::all; }
  // Synchronisation operations, and those inside stop points.
  bool contains(const Operation& op, const CallStack& calls);
  // StopKind bits of the function that `pc` is in; 0: none.
  uint32_t stop_at(uintptr_t pc);
  // `pc`, or one of the functions it was called by, is in one of this kind.
  bool is_inside(channel::StopKind kind, uintptr_t pc, const CallStack& calls);
  // Where the program itself is: `pc`, or where it called the library that `pc` is in.
  uintptr_t own_code(uintptr_t pc, const CallStack& calls);

 private:
  uint32_t look_up(uintptr_t pc) const;

  // Code addresses that came up before, by their low bits.
  struct Known {
    uintptr_t pc = 0;
    uint32_t kinds = 0;
  };
  static constexpr uintptr_t kKnown = 1 << 12;

  const channel::Channel* channel_ = nullptr;
  channel::Points which_ = channel::Points::all;
  bool stop_only_ = false;
  Known* known_ = nullptr;
};

// Some function is a stop point where it is entered, or nothing of ours is to be left on stacks:
// then every entry is looked at.
extern JOSTLE_HIDDEN bool g_stops_at_entries;
// So does somebody above, who gets to know of all of them.
struct Thread;
extern JOSTLE_HIDDEN void (*g_watch_entry)(Thread& thread, uintptr_t pc);

}  // namespace jostle::rt
