// SPDX-License-Identifier: Apache-2.0
// The last reads of shared memory and what they saw, while somebody wants to know what the program
// compares: so a comparison can name the read that brought one of its two sides, and a search make
// that read see something else.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/operation.h"

namespace jostle::rt {

struct RecentRead {
  uint64_t value;
  uintptr_t object, pc;
  uint32_t thread;  // by its order of creation
  uint32_t size;    // bytes, 1 to 8
};

class RecentReads {
 public:
  void want(bool wanted) { wanted_ = wanted; }
  bool wanted() const { return wanted_; }
  void clear() { count_ = 0; }

  void add(uint32_t thread, const Operation& op, uint64_t value) {
    if (op.size == 0 || op.size > 8) return;
    reads_[count_++ % kMost] = {value, op.object, op.pc, thread, op.size};
  }

  // The thread's last read that saw the value, as far as both go; null: there is none.
  const RecentRead* find(uint32_t thread, uint64_t value, uint32_t size) const {
    const uint32_t known = count_ < kMost ? count_ : kMost;
    for (uint32_t i = 1; i <= known; ++i) {
      const RecentRead& read = reads_[(count_ - i) % kMost];
      const uint32_t bytes = read.size < size ? read.size : size;
      const uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
      if (read.thread == thread && ((read.value ^ value) & mask) == 0) return &read;
    }
    return nullptr;
  }

 private:
  // What is compared was mostly read just before.
  static constexpr uint32_t kMost = 16;
  RecentRead reads_[kMost] = {};
  uint32_t count_ = 0;
  bool wanted_ = false;
};

extern JOSTLE_HIDDEN RecentReads g_recent_reads;

}  // namespace jostle::rt
