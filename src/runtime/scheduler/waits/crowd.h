// SPDX-License-Identifier: Apache-2.0
// Many threads that wait for one object.
//
// When a lock is released, everybody who waits for it can go on, and nobody any more as soon as one
// has taken it. For a few threads each is looked at. For a crowd that would be quadratic: so those
// whose waits depend on nothing but the object are kept as a set, and one answer is the answer of
// all. Who can go on for a reason of its own (a signal, a time-out) is not part of it.
#pragma once

#include <cstdint>

#include "src/base/check.h"
#include "src/runtime/scheduler/thread.h"
#include "src/strategy/enabled_set.h"

namespace jostle::rt {

struct Crowd {
  ReadyCheck ready;  // is_shared; the same for all members
  EnabledSet members;
  bool can_go_on = false;
  uint64_t could_last = 0;  // the step at which they could go on for the last time
};

struct CrowdedObject {
  uintptr_t object = 0;
  Crowd crowds[2];       // readers and writers
  uint32_t outside = 0;  // wait for it, too, and are in neither

  // Where a thread with this check belongs; null: there is no room for one more kind.
  Crowd* crowd_of(const ReadyCheck& ready) {
    for (Crowd& crowd : crowds) {
      if (crowd.members.count() == 0) crowd.ready = ready;
      if (crowd.ready.test == ready.test && crowd.ready.context == ready.context) return &crowd;
    }
    return nullptr;
  }
};

class CrowdedObjects {
 public:
  // So many make a crowd.
  static constexpr uint32_t kMany = 32;

  bool any() const { return count_ != 0; }
  void clear() { count_ = 0; }

  CrowdedObject* find(uintptr_t object) {
    for (uint32_t i = 0; i < count_; ++i) {
      if (objects_[i].object == object) return &objects_[i];
    }
    return nullptr;
  }
  // Null: there are enough already.
  CrowdedObject* add(uintptr_t object) {
    JOSTLE_CHECK(!find(object));
    if (count_ == kMost) return nullptr;
    CrowdedObject& added = objects_[count_++];
    added.object = object;
    added.outside = 0;
    for (Crowd& crowd : added.crowds) crowd.members.clear();
    return &added;
  }

 private:
  static constexpr uint32_t kMost = 8;

  CrowdedObject objects_[kMost];
  uint32_t count_ = 0;
};

}  // namespace jostle::rt
