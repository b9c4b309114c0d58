// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/race_contexts.h"

#include "src/base/engine_memory.h"
#include "src/base/hash.h"

namespace jostle::rt {
namespace {

constexpr uint32_t kMostWords = 1 + channel::kMaxStack + 3 * channel::kMaxHeldLocks;

}  // namespace

void RaceContexts::clear() {
  if (words_) {
    for (uint32_t i = 0; count_ && i < kSlots; ++i) slots_[i] = 0;
  }
  used_ = 1;
  count_ = 0;
}

uint32_t RaceContexts::add(const Thread& thread, uintptr_t pc) {
  if (!words_) {
    words_ = static_cast<uintptr_t*>(engine_allocate(kWords * sizeof(uintptr_t)));
    slots_ = static_cast<uint32_t*>(engine_allocate(kSlots * sizeof(uint32_t)));
  }
  if (used_ + kMostWords > kWords || count_ == kSlots / 2) return 0;
  // Written where a new entry goes; it stays there when it is one.
  uintptr_t* const entry = words_ + used_;
  const uint32_t frames = thread.calls.depth();
  const uint32_t depth = 1 + (frames < channel::kMaxStack ? frames : channel::kMaxStack - 1);
  const uint32_t held = thread.held.count();
  const uint32_t locks = held < channel::kMaxHeldLocks ? held : channel::kMaxHeldLocks;
  uintptr_t* to = entry;
  *to++ = depth | uintptr_t{locks} << 32;
  *to++ = pc;
  for (uint32_t i = 0; i + 1 < depth; ++i) *to++ = thread.calls.caller(i);
  for (uint32_t i = 0; i < locks; ++i) {
    *to++ = thread.held[i].object;
    *to++ = thread.held[i].pc;
    *to++ = static_cast<uintptr_t>(thread.held[i].kind);
  }
  const auto size = static_cast<uint32_t>(to - entry);
  uint64_t hash = size;
  for (uint32_t i = 0; i < size; ++i) hash = combine(hash, entry[i]);
  for (uint64_t i = hash % kSlots;; i = (i + 1) % kSlots) {
    if (slots_[i] == 0) {
      slots_[i] = used_;
      used_ += size;
      ++count_;
      return slots_[i];
    }
    const uintptr_t* known = words_ + slots_[i];
    uint32_t same = 0;
    while (same < size && known[same] == entry[same]) ++same;
    if (same == size) return slots_[i];
  }
}

void RaceContexts::describe(uint32_t context, uintptr_t pc, channel::RaceAccess& to) const {
  to.stack.depth = 1;
  to.stack.pc[0] = pc;
  to.held_count = 0;
  if (context == 0) return;
  const uintptr_t* from = words_ + context;
  to.stack.depth = static_cast<uint32_t>(*from);
  to.held_count = static_cast<uint32_t>(*from++ >> 32);
  for (uint32_t i = 0; i < to.stack.depth; ++i) to.stack.pc[i] = *from++;
  for (uint32_t i = 0; i < to.held_count; ++i) {
    to.held[i].object = *from++;
    to.held[i].pc = *from++;
    to.held[i].kind = static_cast<OpKind>(*from++);
  }
}

}  // namespace jostle::rt
