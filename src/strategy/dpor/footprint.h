// SPDX-License-Identifier: Apache-2.0
// Which actions depend on each other: the objects that an action touches, and how.
//
// Footprints are interned, so that the steps of wakeup trees and sleep sets are a few words however
// many objects an action has.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/index_table.h"
#include "src/strategy/dpor/action.h"

namespace jostle::dpor {

enum class Mode : uint8_t {
  read,   // commutes with reads
  add,    // commutes with adds: posts of a semaphore, readers of a lock that come and go
  write,  // commutes with nothing
};

inline bool dependent(Mode a, Mode b) { return a != b || a == Mode::write; }

Mode mode_of(Act act, bool took_effect);

// Contacts with an object are linked by index: `unlike` is the latest earlier one that does not
// commute with this. The contact, or the latest before it, with which a touch in this mode does not
// commute: loops that read one word for long have many that do.
template <typename Contacts>
uint32_t dependent_contact(const Contacts& contacts, uint32_t contact, Mode mode) {
  if (contact == kNone || dependent(contacts[contact].mode, mode)) return contact;
  return contacts[contact].unlike;
}

struct Touch {
  uint32_t object;  // dense, in the order of appearance
  Mode mode;
};

using Footprint = uint32_t;

class FootprintTable {
 public:
  Footprint of(const Part* parts, uint32_t count);
  const Touch* touches(Footprint footprint) const {
    return touches_.begin() + entries_[footprint].first;
  }
  uint32_t touch_count(Footprint footprint) const { return entries_[footprint].count; }
  uint32_t object_count() const { return static_cast<uint32_t>(objects_.size()); }
  uint64_t object_name(uint32_t object) const { return objects_[object]; }

  bool dependent(Footprint a, Footprint b) const {
    for (uint32_t i = 0; i < touch_count(a); ++i) {
      const Touch& mine = touches(a)[i];
      for (uint32_t k = 0; k < touch_count(b); ++k) {
        const Touch& other = touches(b)[k];
        if (mine.object == other.object && dpor::dependent(mine.mode, other.mode)) return true;
      }
    }
    return false;
  }

  void clear();

 private:
  struct Entry {
    uint64_t hash;
    uint32_t first, count;  // in touches_
  };

  uint32_t object_of(uint64_t name);
  bool matches(const Entry& entry) const;  // the touches in wanted_

  EngineVector<uint64_t> objects_;
  IndexTable object_table_;
  EngineVector<Entry> entries_;
  IndexTable entry_table_;
  EngineVector<Touch> touches_;
  EngineVector<Touch> wanted_;
};

}  // namespace jostle::dpor
