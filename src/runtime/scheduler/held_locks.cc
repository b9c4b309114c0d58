#include "src/runtime/scheduler/held_locks.h"

#include "src/base/engine_memory.h"
#include "src/runtime/oracle/backtrace.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

void HeldLocks::add(uintptr_t object, OpKind kind, uintptr_t pc) {
  if (count_ < kCapacity) {
    Entry& entry = entries_[count_];
    entry.object = object;
    entry.kind = kind;
    entry.pc = pc;
    if (g_scheduler.recording()) {
      if (!entry.stack) {
        entry.stack = static_cast<channel::Stack*>(engine_allocate(sizeof(channel::Stack)));
      }
      capture_own_stack(*entry.stack, pc);
    }
  }
  ++count_;
}

bool HeldLocks::remove(uintptr_t object) {
  for (int i = count() - 1; i >= 0; --i) {
    if (entries_[i].object != object) continue;
    channel::Stack* stack = entries_[i].stack;  // the storage stays with the array
    for (int j = i + 1; j < count(); ++j) entries_[j - 1] = entries_[j];
    --count_;
    if (count_ < kCapacity) entries_[count_].stack = stack;
    return true;
  }
  if (count_ > kCapacity) {
    --count_;
    return true;
  }
  return false;
}

bool HeldLocks::holds(uintptr_t object) const {
  for (int i = 0; i < count(); ++i) {
    if (entries_[i].object == object) return true;
  }
  return false;
}

}  // namespace jostle::rt
