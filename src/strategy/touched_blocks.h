// SPDX-License-Identifier: Apache-2.0
// What threads are about to touch, by blocks of 64 threads: so that who looks for the operations
// that race with one does not look at each of a thousand.
//
// A block has a set of hashes of the granules (eight bytes) that its threads' operations touch, or
// did, or might: the set is made anew when somebody has looked into the block in vain. With one
// block there is nothing to gain: it is kept for crowds only.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/schedule/operation.h"

namespace jostle {

class TouchedBlocks {
 public:
  static constexpr uint64_t kEverything = ~uint64_t{0};
  static constexpr ThreadId kBlock = 64;

  static uint64_t bits_of(uintptr_t object, uint32_t size) {
    if (object == 0) return 0;
    if ((object & 7) + size > 8) return kEverything;  // more than one granule
    return uint64_t{1} << ((object >> 3) * 0x9E3779B97F4A7C15 >> 58);
  }

  bool active() const { return threads_ > kBlock; }
  // So many threads, from number 0, have operations.
  void set_threads(ThreadId count) {
    const bool was_active = active();
    threads_ = count;
    if (!active()) return;
    const size_t known = was_active ? blocks_.size() : 0;
    blocks_.resize((count + kBlock - 1) / kBlock);
    for (size_t n = known; n < blocks_.size(); ++n) blocks_[n] = kEverything;
  }
  // REQUIRES: active. That is what the thread is about to touch.
  void note(ThreadId id, uintptr_t object, uint32_t size) {
    blocks_[id / kBlock] |= bits_of(object, size);
  }
  bool has(size_t block, uint64_t bits) const { return (blocks_[block] & bits) != 0; }
  // Somebody has found nothing with these bits in the block.
  void found_nothing(size_t block, const Operation* const* operations) {
    uint64_t bits = 0;
    const auto begin = static_cast<ThreadId>(block * kBlock);
    for (ThreadId id = begin; id < threads_ && id < begin + kBlock; ++id) {
      bits |= bits_of(operations[id]->object, operations[id]->size);
    }
    blocks_[block] = bits;
  }

 private:
  EngineVector<uint64_t> blocks_;
  ThreadId threads_ = 0;
};

}  // namespace jostle
