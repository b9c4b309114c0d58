// SPDX-License-Identifier: Apache-2.0
// What threads are about to touch, by blocks of 64 threads: so that who looks for the operations
// that race with one does not look at each of a thousand.
//
// A block has a set of hashes of the granules (eight bytes) that its threads' operations touch, or
// did, or might: the set is made anew when somebody has looked into the block in vain. And what
// each thread touches is kept side by side, because threads themselves lie far apart in memory.
// With one block there is nothing to gain: all this is kept for crowds only.
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
  void set_threads(ThreadId count, const Operation* const* operations) {
    const ThreadId known = active() ? threads_ : 0;
    threads_ = count;
    if (!active()) return;
    touches_.resize(count);
    blocks_.resize((count + kBlock - 1) / kBlock);
    if (known == 0) {
      for (uint64_t& block : blocks_) block = 0;
    }
    for (ThreadId id = known; id < count; ++id) note(id, *operations[id]);
  }
  // REQUIRES: active. That is what the thread is about to do.
  void note(ThreadId id, const Operation& op) {
    touches_[id] = {op.object, op.size, op.kind};
    blocks_[id / kBlock] |= bits_of(op.object, op.size);
  }
  // REQUIRES: active.
  bool is_noted(ThreadId id, const Operation& op) const {
    const Touch& touch = touches_[id];
    return touch.object == op.object && touch.size == op.size && touch.kind == op.kind &&
           (op.object == 0 || has(id / kBlock, bits_of(op.object, op.size)));
  }
  bool races(ThreadId id, const Operation& with) const {
    const Touch& touch = touches_[id];
    return jostle::races(with, {.kind = touch.kind, .size = touch.size, .object = touch.object});
  }
  bool has(size_t block, uint64_t bits) const { return (blocks_[block] & bits) != 0; }
  // Somebody has found nothing with these bits in the block.
  void found_nothing(size_t block) {
    uint64_t bits = 0;
    const auto begin = static_cast<ThreadId>(block * kBlock);
    for (ThreadId id = begin; id < threads_ && id < begin + kBlock; ++id) {
      bits |= bits_of(touches_[id].object, touches_[id].size);
    }
    blocks_[block] = bits;
  }

 private:
  struct Touch {
    uintptr_t object = 0;
    uint32_t size = 0;
    OpKind kind = OpKind::none;
  };

  EngineVector<uint64_t> blocks_;
  EngineVector<Touch> touches_;  // by thread
  ThreadId threads_ = 0;
};

}  // namespace jostle
