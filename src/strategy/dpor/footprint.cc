// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/footprint.h"

#include "src/base/hash.h"

namespace jostle::dpor {

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
      return took_effect || !may_fail(act) ? Mode::write : Mode::read;
  }
}

uint32_t FootprintTable::object_of(uint64_t name) {
  const auto hash_of = [this](uint32_t i) { return combine(1, objects_[i]); };
  const uint32_t found =
      object_table_.find(combine(1, name), [&](uint32_t i) { return objects_[i] == name; });
  if (found != IndexTable::kNotThere) return found;
  const uint32_t added = object_count();
  objects_.push_back(name);
  object_table_.add(added, hash_of);
  return added;
}

bool FootprintTable::matches(const Entry& entry) const {
  if (entry.count != wanted_.size()) return false;
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Touch& touch = touches_[entry.first + i];
    if (touch.object != wanted_[i].object || touch.mode != wanted_[i].mode) return false;
  }
  return true;
}

Footprint FootprintTable::of(const Part* parts, uint32_t count) {
  wanted_.clear();
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; ++i) {
    const Touch touch = {object_of(parts[i].object), mode_of(parts[i].act, parts[i].took_effect)};
    wanted_.push_back(touch);
    hash = combine(hash, uint64_t{touch.object} << 8 | static_cast<uint8_t>(touch.mode));
  }
  const Footprint found = entry_table_.find(
      hash, [&](uint32_t i) { return entries_[i].hash == hash && matches(entries_[i]); });
  if (found != IndexTable::kNotThere) return found;
  const auto added = static_cast<Footprint>(entries_.size());
  entries_.push_back({hash, static_cast<uint32_t>(touches_.size()), count});
  for (const Touch& touch : wanted_) touches_.push_back(touch);
  entry_table_.add(added, [this](uint32_t i) { return entries_[i].hash; });
  return added;
}

void FootprintTable::clear() {
  objects_.clear();
  object_table_.clear();
  entries_.clear();
  entry_table_.clear();
  touches_.clear();
}

}  // namespace jostle::dpor
