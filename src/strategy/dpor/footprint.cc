// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/footprint.h"

#include "src/base/hash.h"

namespace jostle::dpor {

namespace {

constexpr size_t kFirstSlots = 64;

// Twice the slots once half of them are taken; `hash_of(index)` finds the entries again.
template <typename HashOf>
void make_room(EngineVector<uint32_t>& slots, size_t entries, const HashOf& hash_of) {
  if (slots.size() > 2 * entries) return;
  const size_t size = slots.empty() ? kFirstSlots : slots.size() * 2;
  slots.clear();
  slots.resize(size);
  for (uint32_t i = 0; i < entries; ++i) {
    size_t at = hash_of(i) & (size - 1);
    while (slots[at]) at = (at + 1) & (size - 1);
    slots[at] = i + 1;
  }
}

}  // namespace

Mode mode_of(Act act, bool took_effect) {
  switch (act) {
    case Act::read:
    case Act::await:
      return Mode::read;
    case Act::share:
    case Act::unshare:
    case Act::post:
      return Mode::add;
    case Act::try_share:
      return took_effect ? Mode::add : Mode::read;
    default:
      return took_effect ? Mode::write : Mode::read;
  }
}

uint32_t FootprintTable::object_of(uint64_t name) {
  const auto hash_of = [this](uint32_t i) { return combine(1, objects_[i]); };
  make_room(object_slots_, objects_.size(), hash_of);
  const size_t mask = object_slots_.size() - 1;
  size_t at = combine(1, name) & mask;
  for (; object_slots_[at]; at = (at + 1) & mask) {
    if (objects_[object_slots_[at] - 1] == name) return object_slots_[at] - 1;
  }
  objects_.push_back(name);
  object_slots_[at] = static_cast<uint32_t>(objects_.size());
  return object_slots_[at] - 1;
}

bool FootprintTable::matches(const Entry& entry) const {
  if (entry.count != wanted_.size()) return false;
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Touch& touch = touches_[entry.first + i];
    if (touch.object != wanted_[i].object || touch.mode != wanted_[i].mode) return false;
  }
  return true;
}

Footprint FootprintTable::of(const Part* parts, uint32_t count, bool took_effect) {
  wanted_.clear();
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; ++i) {
    const Touch touch = {object_of(parts[i].object), mode_of(parts[i].act, took_effect)};
    wanted_.push_back(touch);
    hash = combine(hash, uint64_t{touch.object} << 8 | static_cast<uint8_t>(touch.mode));
  }
  const auto hash_of = [this](uint32_t i) { return entries_[i].hash; };
  make_room(entry_slots_, entries_.size(), hash_of);
  const size_t mask = entry_slots_.size() - 1;
  size_t at = hash & mask;
  for (; entry_slots_[at]; at = (at + 1) & mask) {
    const uint32_t found = entry_slots_[at] - 1;
    if (entries_[found].hash == hash && matches(entries_[found])) return found;
  }
  entries_.push_back({hash, static_cast<uint32_t>(touches_.size()), count});
  for (const Touch& touch : wanted_) touches_.push_back(touch);
  entry_slots_[at] = static_cast<uint32_t>(entries_.size());
  return entry_slots_[at] - 1;
}

void FootprintTable::clear() {
  objects_.clear();
  object_slots_.clear();
  entries_.clear();
  entry_slots_.clear();
  touches_.clear();
}

}  // namespace jostle::dpor
