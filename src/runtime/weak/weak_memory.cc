// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/weak/weak_memory.h"

#include "src/base/check.h"
#include "src/base/engine_memory.h"

namespace jostle::weak {
namespace {

// What the thread has acquired, it knows; and what those have seen of whom it has heard.
bool is_known(const Clock* known, const Store& store) {
  if (store.known_to_all) return true;
  for (uint32_t i = 0; i < store.seers; ++i) {
    if (store.seen[i].time <= known[store.seen[i].slot]) return true;
  }
  return false;
}

uint32_t sequential_floor(const History& history) {
  for (uint32_t i = history.last(); i > 0; --i) {
    if (history.at(i).sequential) return i;
  }
  return 0;
}

// True: it was lower.
bool raise_sequential_floor(History& history, uint32_t position) {
  if (position <= sequential_floor(history)) return false;
  history.at(position).sequential = true;
  return true;
}

}  // namespace

uint32_t WeakMemory::floor_of(uint32_t thread, const History& history) {
  const Clock* known = detector_->clock_of(thread);
  for (uint32_t i = history.last(); i > 0; --i) {
    if (is_known(known, history.at(i))) return i;
  }
  return 0;
}

uint32_t WeakMemory::floor_of(uint32_t thread, const History& history, Strength strength) {
  const uint32_t known = floor_of(thread, history);
  const uint32_t sequential = strength.sequential ? sequential_floor(history) : 0;
  const uint32_t floor = known > sequential ? known : sequential;
  note_if_forgotten(thread, history, floor);
  return floor;
}

// Who knows of none of the stores could have read those that are gone.
void WeakMemory::note_if_forgotten(uint32_t thread, const History& history, uint32_t floor) {
  if (!history.has_dropped || floor != 0) return;
  if (!is_known(detector_->clock_of(thread), history.at(0))) note_cut(Cut::histories);
}

// ---- alternatives -----------------------------------------------------------------------------

Alternatives WeakMemory::readable(uint32_t thread, const History& history, Strength strength) {
  Alternatives all;
  const uint32_t floor = floor_of(thread, history, strength);
  for (uint32_t i = history.count; i-- > floor;) all.add(i);
  return all;
}

Alternatives WeakMemory::places(uint32_t thread, const History& history, Strength strength) {
  Alternatives all;
  const uint32_t floor = floor_of(thread, history, strength);
  for (uint32_t i = history.count; i > floor; --i) {
    if (i == history.count || !history.at(i).modifies) all.add(i);
  }
  return all;
}

Alternatives WeakMemory::modifiable(uint32_t thread, const History& history, Strength strength) {
  Alternatives all;
  const uint32_t floor = floor_of(thread, history, strength);
  for (uint32_t i = history.count; i-- > floor;) {
    if (!history.is_taken(i)) all.add(i);
  }
  return all;
}

Alternatives WeakMemory::comparable(uint32_t thread, const History& history, uint64_t expected,
                                    Strength success, Strength failure) {
  Alternatives all;
  const uint32_t known = floor_of(thread, history);
  const uint32_t sequential = sequential_floor(history);
  note_if_forgotten(thread, history, known);
  for (uint32_t i = history.count; i-- > known;) {
    const bool succeeds = history.at(i).value == expected;
    if (succeeds && history.is_taken(i)) continue;
    if ((succeeds ? success : failure).sequential && i < sequential) continue;
    all.add(i);
  }
  return all;
}

void WeakMemory::leave_out_before_latest(const History& history, Alternatives& all, bool is_place) {
  uint32_t latest = 0;
  while (latest < history.last() && history.at(latest).serial != history.latest) ++latest;
  if (history.at(latest).serial != history.latest) return;
  // From the newest on.
  while (all.count > 1 && all.position[all.count - 1] < latest + is_place) --all.count;
}

// ---- what is done -----------------------------------------------------------------------------

// Who knows of a thread that has seen the store knows it from there: one note for all of them.
void WeakMemory::see(uint32_t thread, Store& store) {
  const Clock* known = detector_->clock_of(thread);
  if (is_known(known, store)) return;
  if (store.seers == kMostSeers) {
    note_cut(Cut::histories);
    store.known_to_all = true;
    return;
  }
  const uint32_t slot = detector_->slot_of(thread);
  store.seen[store.seers++] = {slot, known[slot]};
}

const Store& WeakMemory::read(uint32_t thread, History& history, uint32_t position,
                              Strength strength) {
  Store& store = history.at(position);
  if (store.published != 0) {
    detector_->observe(thread, clocks_ + store.clocks, store.published, strength.order);
  }
  see(thread, store);
  has_raised_ = strength.sequential && raise_sequential_floor(history, position);
  return store;
}

// A new store, of which its thread knows. It moves when there is no room for all.
Store& WeakMemory::place(uint32_t thread, History& history, uint32_t& position, uint64_t value,
                         const Origin& origin) {
  JOSTLE_CHECK(position > 0 && position <= history.count);
  if (history.count == longest_) {
    history.drop_oldest();
    history.has_dropped = true;
    --position;
  }
  Store& store = history.insert(position);
  store.value = value;
  store.origin = origin;
  store.serial = history.latest = ++serial_;
  store.published = 0;
  store.known_to_all = store.modifies = store.sequential = false;
  const uint32_t slot = detector_->slot_of(thread);
  store.seers = 1;
  store.seen[0] = {slot, detector_->clock_of(thread)[slot]};
  return store;
}

bool WeakMemory::write(uint32_t thread, History& history, uint32_t position, uint64_t value,
                       Strength strength, const Origin& origin) {
  const Clock* publishes = detector_->publishes(thread, strength.order);
  const bool is_newest = position == history.count;
  if (history.whole) {
    // Of which bytes is not known: whatever was published stays.
    history.newest().value = value;
    if (publishes) publish(history.newest(), publishes, detector_->slots());
  } else {
    Store& store = place(thread, history, position, value, origin);
    if (publishes) publish(store, publishes, detector_->slots());
    if (strength.sequential) raise_sequential_floor(history, position);
  }
  if (strength.order & race::kRelease) detector_->advance(thread);
  return is_newest;
}

bool WeakMemory::modify(uint32_t thread, History& history, uint32_t position, uint64_t value,
                        Strength strength, const Origin& origin) {
  read(thread, history, position, strength);
  const Clock* publishes = detector_->publishes(thread, strength.order);
  const bool is_newest = position == history.last();
  if (history.whole) {
    history.newest().value = value;
    if (publishes) publish(history.newest(), publishes, detector_->slots());
  } else {
    const Store& source = history.at(position);
    const uint16_t carried = source.published;
    uint32_t behind = position + 1;
    Store& store = place(thread, history, behind, value, origin);
    store.modifies = true;
    // The release sequence goes on, also when the source had to make room for the new store.
    if (&store == &source) {
      store.published = carried;
    } else if (carried != 0) {
      publish(store, clocks_ + source.clocks, carried);
    }
    if (publishes) publish(store, publishes, detector_->slots());
    if (strength.sequential) raise_sequential_floor(history, behind);
  }
  if (strength.order & race::kRelease) detector_->advance(thread);
  return is_newest;
}

void WeakMemory::fence(uint32_t thread, Strength strength) {
  // First what it acquires, then what it knows by that, then what it publishes.
  if (strength.order & race::kAcquire) detector_->fence(thread, race::kAcquire);
  for (uint32_t i = 1; strength.sequential && i < histories_used_; ++i) {
    History& history = histories_[i];
    if (!history.in_use || history.count < 2) continue;
    const uint32_t floor = floor_of(thread, history);
    const uint32_t sequential = sequential_floor(history);
    if (sequential > floor) see(thread, history.at(sequential));
    raise_sequential_floor(history, floor);
  }
  if (strength.order & race::kRelease) detector_->fence(thread, race::kRelease);
}

}  // namespace jostle::weak
