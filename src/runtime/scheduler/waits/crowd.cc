// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/waits/crowd.h"

#include <algorithm>

#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/waits/interruption.h"

namespace jostle::rt {

// Whether it can go on depends on the object alone.
void Scheduler::gather_crowd(uintptr_t object) {
  if (g_actions.active()) return;  // it needs each thread by itself
  CrowdedObject* const crowded = crowded_.add(object);
  if (!crowded) return;
  for (Thread* t = next_pending_on(object, nullptr); t; t = next_pending_on(object, t)) {
    join_crowd(*crowded, *t);
  }
}

void Scheduler::join_crowd(CrowdedObject& crowded, Thread& t) {
  JOSTLE_CHECK(t.in_lot && !t.crowd);
  Crowd* const crowd = is_like_others(t) ? crowded.crowd_of(t.ready) : nullptr;
  if (!crowd) {
    ++crowded.outside;
    return;
  }
  if (crowd->members.count() == 0) {
    crowd->can_go_on = t.ready();
  } else {
    refresh(*crowd);
  }
  set_enabled(t, crowd->can_go_on);
  t.crowd = crowd;
  crowd->members.insert(t.id);
}

void Scheduler::leave_crowd(Thread& t) {
  JOSTLE_CHECK(t.in_lot && t.crowd->members.contains(t.id));
  t.enabled_at = last_enabled(t);
  t.crowd->members.erase(t.id);
  t.crowd = nullptr;
}

// It waits for the same as before, for reasons of its own.
void Scheduler::step_out_of_crowd(Thread& t) {
  leave_crowd(t);
  ++crowded_.find(t.parked_on)->outside;
}

uint64_t Scheduler::last_enabled(const Thread& t) const {
  return t.crowd ? std::max(t.enabled_at, t.crowd->could_last) : t.enabled_at;
}

void Scheduler::refresh(Crowd& crowd) {
  if (crowd.members.count() == 0) return;
  const bool can = crowd.ready();
  if (can == crowd.can_go_on) return;
  crowd.can_go_on = can;
  if (!can) crowd.could_last = steps_;
  for (size_t n = 0; n < crowd.members.blocks(); ++n) {
    const uint64_t members = crowd.members.block(n);
    if (can) {
      enabled_.insert_block(n, members);
      eligible_.insert_block(n, members);
    } else {
      enabled_.erase_block(n, members);
      eligible_.erase_block(n, members);
    }
  }
}

void Scheduler::changed(CrowdedObject& crowded) {
  for (Crowd& crowd : crowded.crowds) refresh(crowd);
  uint32_t left = crowded.outside;
  for (Thread* t = left ? next_pending_on(crowded.object, nullptr) : nullptr; t && left != 0;) {
    Thread* next = next_pending_on(crowded.object, t);
    if (!t->crowd) {
      --left;
      refresh(*t);
    }
    t = next;
  }
}

}  // namespace jostle::rt
