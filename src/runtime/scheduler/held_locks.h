// Which locks a thread holds, and where it took them. For deadlock reports.
//
// Kept always (a push and a pop per lock), the stack of the acquisition only while recording.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"
#include "src/schedule/operation.h"

namespace jostle::rt {

class HeldLocks {
 public:
  struct Entry {
    uintptr_t object;
    OpKind kind;
    uintptr_t pc;
    channel::Stack* stack;  // null unless recording
  };

  // The current thread acquired `object`.
  void add(uintptr_t object, OpKind kind, uintptr_t pc);
  // The most recent acquisition of `object` is undone; false when there is none.
  bool remove(uintptr_t object);
  void clear() { count_ = 0; }
  int count() const { return count_ < kCapacity ? count_ : kCapacity; }
  const Entry& operator[](int i) const { return entries_[i]; }
  bool holds(uintptr_t object) const;

 private:
  // More locks at once than this are counted but not named.
  static constexpr int kCapacity = 32;
  int count_ = 0;
  Entry entries_[kCapacity] = {};
};

}  // namespace jostle::rt
