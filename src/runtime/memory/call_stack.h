// SPDX-License-Identifier: Apache-2.0
// The call stack of a thread as the compiler's function-entry hooks tell it: one return address per
// instrumented frame. Cheap to keep, and there when a report needs it.
//
// longjmp and exceptions leave functions without the exit hook (gcc's instrumentation calls it on
// exceptions, longjmp never does): each entry keeps its frame address, and entering a function
// first drops entries of frames that no longer exist.
#pragma once

#include <cstdint>

#include "src/base/check.h"

namespace jostle::rt {

class CallStack {
 public:
  struct Entry {
    uintptr_t caller;  // return address into the calling function
    uintptr_t frame;   // where its stack ends, its variables above: smaller means deeper
  };
  static constexpr uint32_t kCapacity = 1 << 12;  // deeper frames are counted, not kept

  // `entries` has room for kCapacity entries.
  void attach(Entry* entries) {
    JOSTLE_CHECK(entries != nullptr);
    entries_ = entries;
    depth_ = floor_ = 0;
  }
  Entry* storage() const { return entries_; }
  void clear() { depth_ = floor_ = 0; }

  void enter(uintptr_t caller, uintptr_t frame) {
    JOSTLE_CHECK(entries_ != nullptr);
    while (depth_ > floor_ && depth_ <= kCapacity && entries_[depth_ - 1].frame < frame) --depth_;
    if (depth_ < kCapacity) entries_[depth_] = {caller, frame};
    ++depth_;
  }
  void leave() {
    if (depth_) --depth_;
  }

  // Frames, also those too deep to be kept.
  uint32_t frames() const { return depth_; }
  void set_frames(uint32_t frames) { depth_ = frames; }
  // A signal handler may be on another stack: so many frames exist, wherever its own are.
  uint32_t floor() const { return floor_; }
  void set_floor(uint32_t frames) { floor_ = frames; }
  uint32_t depth() const { return depth_ < kCapacity ? depth_ : kCapacity; }
  // 0 = innermost.
  uintptr_t caller(uint32_t i) const {
    JOSTLE_CHECK_LT(i, depth());
    return entries_[depth() - 1 - i].caller;
  }

 private:
  Entry* entries_ = nullptr;
  uint32_t depth_ = 0;
  uint32_t floor_ = 0;
};

}  // namespace jostle::rt
