// SPDX-License-Identifier: Apache-2.0
// Which candidate has the highest number, a score or a priority, without looking at all of them: of
// each block of 64 threads it is kept who that was, for as long as the same threads of it are
// candidates and no number that matters has changed.
#pragma once

#include <bit>
#include <cstdint>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/strategy/enabled_set.h"

namespace jostle {

class Leaders {
 public:
  void clear() { blocks_.clear(); }

  // The number of `id`, never 0, is now this one.
  void changed(ThreadId id, uint64_t number) {
    if (id / 64 >= blocks_.size()) return;  // nobody has asked yet
    Block& block = blocks_[id / 64];
    if (id == block.leader) {
      block.members = 0;
    } else if (number > block.number && (block.members >> id % 64 & 1)) {
      block.leader = id;
      block.number = number;
    }
  }

  // It has none.
  void forget(ThreadId id) {
    if (id / 64 < blocks_.size()) blocks_[id / 64].members = 0;
  }

  // Of the candidates that are not among `left_out`; kNoThread: there is none. number_of(id) may
  // draw it: it is called in the order of threads, and for each that has none yet.
  template <typename NumberOf>
  ThreadId first(const EnabledSet& candidates, const EnabledSet* left_out, NumberOf&& number_of) {
    ThreadId leader = kNoThread;
    uint64_t highest = 0;
    const size_t count = candidates.blocks();
    if (count > blocks_.size()) [[unlikely]]
      make_room(count);
    for (size_t n = 0; n < count; ++n) {
      const uint64_t members = candidates.block(n) & ~(left_out ? left_out->block(n) : 0);
      if (members == 0) continue;
      Block& block = blocks_[n];
      if (block.members != members) settle(block, n, members, number_of);
      JOSTLE_CHECK_EQ(number_of(block.leader), block.number);
      if (block.number <= highest) continue;
      leader = block.leader;
      highest = block.number;
    }
    return leader;
  }

 private:
  __attribute__((noinline)) void make_room(size_t count) { blocks_.resize(count); }

  struct Block {
    uint64_t members = 0;  // among whom it leads; 0: not known
    uint64_t number = 0;
    ThreadId leader = kNoThread;
  };

  template <typename NumberOf>
  static void settle(Block& block, size_t n, uint64_t members, NumberOf& number_of) {
    block = {members, 0, kNoThread};
    for (uint64_t left = members; left; left &= left - 1) {
      const auto id = static_cast<ThreadId>(n * 64 + static_cast<size_t>(std::countr_zero(left)));
      const uint64_t number = number_of(id);
      if (number <= block.number) continue;
      block.leader = id;
      block.number = number;
    }
  }

  EngineVector<Block> blocks_;
};

}  // namespace jostle
