// SPDX-License-Identifier: Apache-2.0
// From a function to those that called it, by rules that are kept: ten times as fast as libgcc's
// unwinder, which looks them up and interprets them anew at every frame. That one goes on knowing
// what this one does not: frames of signals, signed return addresses, code without a module.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/runtime/modules/frame_rules.h"

namespace jostle::rt {

struct Frame {
  uintptr_t pc;  // where it goes on after the call that it is in
  uintptr_t registers[kFrameRegisters];

  uintptr_t stack_pointer() const { return registers[kStackPointer]; }
};

// The frame that calls this.
extern "C" JOSTLE_HIDDEN void jostle_this_frame(Frame* frame);

// False: it is not known how. The stack ends at `stack_end`. Behind the outermost frame pc is 0.
bool go_to_caller(Frame& frame, uintptr_t stack_end);

// Visits a frame and those further out, until `visit(frame)` says false. False: not all are known;
// to be done again with libgcc's unwinder.
template <typename Visit>
bool walk_frames_from(Frame& frame, uintptr_t stack_begin, uintptr_t stack_end, Visit&& visit) {
  if (frame.stack_pointer() < stack_begin || frame.stack_pointer() >= stack_end) return false;
  while (visit(static_cast<const Frame&>(frame))) {
    if (!go_to_caller(frame, stack_end)) return false;
  }
  return true;
}

// From the frame of the function that calls it.
template <typename Visit>
[[gnu::noinline]] bool walk_frames(uintptr_t stack_begin, uintptr_t stack_end, Visit&& visit) {
  Frame frame;
  jostle_this_frame(&frame);
  return walk_frames_from(frame, stack_begin, stack_end, visit);
}

// Modules have been loaded or unloaded.
void forget_frame_rules();

}  // namespace jostle::rt
