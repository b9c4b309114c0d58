// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/race_contexts.h"

#include <string.h>

#include "src/base/hash.h"

namespace jostle::rt {
namespace {

constexpr uint32_t kMostWords = 1 + channel::kMaxStack + 3 * channel::kMaxHeldLocks;

uint64_t hash_of(const uintptr_t* words, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; ++i) hash = combine(hash, words[i]);
  return hash;
}

}  // namespace

void RaceContexts::clear() {
  used_ = 1;
  begins_.clear();
  table_.clear();
}

uint32_t RaceContexts::add(const Thread& thread, uintptr_t pc) {
  if (!words_) {
    words_ = static_cast<uintptr_t*>(engine_allocate(kWords * sizeof(uintptr_t)));
  }
  if (used_ + kMostWords > kWords || begins_.size() == kMost) return 0;
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
  const auto is_same = [&](uint32_t index) {
    const uintptr_t* known = words_ + begins_[index];
    return memcmp(known, entry, size * sizeof *entry) == 0;
  };
  const uint32_t known = table_.find(hash_of(entry, size), is_same);
  if (known != IndexTable::kNotThere) return begins_[known];
  begins_.push_back(used_);
  used_ += size;
  table_.add(static_cast<uint32_t>(begins_.size()) - 1, [&](uint32_t index) {
    const uintptr_t* one = words_ + begins_[index];
    return hash_of(one, size_of(one));
  });
  return begins_.back();
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
