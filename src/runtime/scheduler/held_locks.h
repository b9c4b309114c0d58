// SPDX-License-Identifier: Apache-2.0
// Which locks a thread holds, and where it took them. For deadlock reports, and for robust mutexes
// of a thread that ends.
//
// Kept always (a push and a pop per lock), the stack of the acquisition only while recording.
#pragma once

#include <cstdint>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/schedule/operation.h"
#include "src/schedule/run_end.h"

namespace jostle::rt {

// The storage belongs to the slot of the thread and is not given back, so that the next thread in
// it finds it there.
class HeldLocks {
 public:
  struct Entry {
    uintptr_t object;
    OpKind kind;
    uintptr_t pc;
    channel::Stack* stack;  // null unless recording
    static constexpr uint32_t kMostCallers = 5;
    uintptr_t callers[kMostCallers];  // return addresses, innermost first; 0: none
  };

  HeldLocks() = default;
  HeldLocks(const HeldLocks&) = delete;
  // Copied as plain data, which may be its own. Where nothing is held there is nothing to copy:
  // most of the time.
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  HeldLocks& operator=(const HeldLocks& other) {
    count_ = other.count_;
    capacity_ = other.capacity_;
    many_ = other.many_;
    for (uint32_t i = 0; count_ && i < kAtHand; ++i) at_hand_[i] = other.at_hand_[i];
    return *this;
  }

  Entry& add(uintptr_t object, OpKind kind, uintptr_t pc) {
    if (count_ == capacity_) grow();
    JOSTLE_CHECK_LT(count_, capacity_);
    Entry& entry = entries()[count_++];
    entry.object = object;
    entry.kind = kind;
    entry.pc = pc;
    return entry;
  }

  // The most recent acquisition of `object` is undone; says what it was, `none` when there is none.
  OpKind remove(uintptr_t object) {
    Entry* const all = entries();
    for (uint32_t i = count_; i-- > 0;) {
      if (all[i].object != object) continue;
      channel::Stack* stack = all[i].stack;  // the storage stays with the array
      const OpKind kind = all[i].kind;
      --count_;
      for (; i < count_; ++i) all[i] = all[i + 1];
      all[count_].stack = stack;
      return kind;
    }
    return OpKind::none;
  }

  void clear() { count_ = 0; }
  // Nothing is held, in the storage that the slot has.
  struct Storage {
    Entry* many;
    uint32_t capacity;
  };
  Storage storage() const { return {many_, capacity_}; }
  void attach(const Storage& storage) {
    count_ = 0;
    many_ = storage.many;
    capacity_ = storage.capacity;
  }
  // The run is over, and its memory with it.
  void forget_storage() {
    count_ = 0;
    capacity_ = kAtHand;
    many_ = nullptr;
  }
  uint32_t count() const { return count_; }
  const Entry& operator[](uint32_t i) const {
    JOSTLE_CHECK_LT(i, count_);
    return entries()[i];
  }

  bool holds(uintptr_t object) const {
    for (uint32_t i = 0; i < count_; ++i) {
      if (entries()[i].object == object) return true;
    }
    return false;
  }

 private:
  // Hardly any thread ever holds more than these at once. Each thread of each run begins with all
  // of them cleared.
  static constexpr uint32_t kAtHand = 4;

  Entry* entries() { return many_ ? many_ : at_hand_; }
  const Entry* entries() const { return many_ ? many_ : at_hand_; }

  void grow() {
    JOSTLE_CHECK(many_ || capacity_ == kAtHand);
    auto* grown = static_cast<Entry*>(run_allocate(2 * capacity_ * sizeof(Entry)));
    for (uint32_t i = 0; i < count_; ++i) grown[i] = entries()[i];
    if (many_) run_release(many_, capacity_ * sizeof(Entry));
    many_ = grown;
    capacity_ *= 2;
  }

  uint32_t count_ = 0;
  uint32_t capacity_ = kAtHand;
  Entry* many_ = nullptr;  // all of them, once they did not fit
  Entry at_hand_[kAtHand] = {};
};

// The current thread acquired `object`.
void note_acquired(uintptr_t object, OpKind kind, uintptr_t pc);

}  // namespace jostle::rt
