// SPDX-License-Identifier: Apache-2.0
// Which threads are inside a critical section, and which operation led into it.
//
// Who waits inside a critical section keeps out those it may be waiting for: what must come before
// an event in there has to come before the lock is taken.
#pragma once

#include <utility>

#include "src/base/engine_memory.h"
#include "src/strategy/strategy.h"

namespace jostle {

constexpr bool takes_lock(OpKind kind) {
  return kind == OpKind::mutex_lock || kind == OpKind::spin_lock || kind == OpKind::rwlock_read ||
         kind == OpKind::rwlock_write;
}
constexpr bool gives_lock_back(OpKind kind) {
  return kind == OpKind::mutex_unlock || kind == OpKind::spin_unlock ||
         kind == OpKind::rwlock_unlock;
}

class CriticalSections {
 public:
  void clear() {
    sections_.clear();
    count_ = 0;
  }

  void note(const Event& event) {
    if (takes_lock(event.kind)) {
      Section* section = find(event.thread);
      if (!section) {
        sections_.push_back(
            {event.thread, event.name, read_event(event.name, event.site), ++count_});
      } else if (section->lock == event.name) {  // again, after it has waited
        section->entry = read_event(event.name, event.site);
        section->number = ++count_;
      }
    } else if (gives_lock_back(event.kind)) {
      Section* section = find(event.thread);
      if (!section || section->lock != event.name) return;
      const Section last = sections_.pop_back();
      if (section != sections_.end()) *section = last;
    }
  }

  // The abstract event that took the outermost lock that the event's thread holds, or the lock that
  // it gives back now; 0: it holds none.
  uint64_t entry_of(const Event& event) const {
    const Section* section = find(event.thread);
    return section ? section->entry : 0;
  }
  // Which critical section of this run the thread is in; 0: in none.
  uint32_t number_of(uint64_t thread) const {
    const Section* section = find(thread);
    return section ? section->number : 0;
  }

 private:
  struct Section {
    uint64_t thread;
    uint64_t lock;
    uint64_t entry;
    uint32_t number;
  };
  const Section* find(uint64_t thread) const {
    for (const Section& section : sections_) {
      if (section.thread == thread) return &section;
    }
    return nullptr;
  }
  Section* find(uint64_t thread) { return const_cast<Section*>(std::as_const(*this).find(thread)); }
  EngineVector<Section> sections_;
  uint32_t count_ = 0;
};

}  // namespace jostle
