// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/weak/load_buffering.h"

#include "src/base/engine_memory.h"

namespace jostle::weak {

void LoadBuffering::begin_run(race::Detector& happens_before, uint32_t thread) {
  if (!loads_) {
    loads_ = static_cast<Load*>(engine_allocate(kMostLoads * sizeof(Load)));
    buckets_ = static_cast<Bucket*>(engine_allocate(kBuckets * sizeof(Bucket)));
  }
  ++run_;
  used_ = 1;  // 0 means none
  happens_before_ = &happens_before;
  causes_.begin_run(thread, nullptr, nullptr);
  causes_.look_away();
  happens_before.tell(&causes_);
  active_ = true;
}

uint32_t LoadBuffering::place_of(const History& history, uint32_t serial) {
  for (uint32_t i = 0; i < history.count; ++i) {
    if (history.at(i).serial == serial) return i;
  }
  return 0;  // forgotten: older than all that are kept
}

void LoadBuffering::loaded(uint32_t thread, uintptr_t address, const Store& store, uint64_t site) {
  causes_.acquire(thread, name_of(store.serial));
  const uint32_t slot = happens_before_->slot_of(thread), cause_slot = causes_.slot_of(thread);
  const Clock time = happens_before_->clock_of(thread)[slot];
  const Clock cause_time = causes_.clock_of(thread)[cause_slot];
  for (uint32_t i = first(address); i != 0; i = loads_[i].next) {
    const Load& same = loads_[i];
    if (same.address == address && same.thread == thread && same.site == site &&
        same.time == time && same.cause_time == cause_time) {
      return;  // a loop that waits
    }
  }
  if (is_full()) return;
  Bucket& in = bucket(address);
  loads_[used_] = {address, site, first(address), thread, slot, cause_slot, time, cause_time, 0};
  in = {run_, used_++};
}

bool LoadBuffering::could_read(Load& load, uint32_t thread, const History& history,
                               uint32_t place) {
  if (load.time <= happens_before_->clock_of(thread)[load.slot]) {
    if (load.followed_by == 0) load.followed_by = history.latest;
    return false;
  }
  if (load.cause_time > causes_.clock_of(thread)[load.cause_slot]) return false;
  return load.followed_by == 0 || place_of(history, load.followed_by) > place;
}

}  // namespace jostle::weak
