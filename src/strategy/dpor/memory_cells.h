// SPDX-License-Identifier: Apache-2.0
// Which accesses touch the same memory: objects of the reduced search for parts of memory.
//
// Eight bytes (a granule) are one object as long as all accesses there are of eight bytes. A
// smaller access, or one across the middle, makes them two of four bytes, four of two, or eight:
// from then on, in all runs, so that what was found before no longer holds.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/base/index_table.h"

namespace jostle::dpor {

class MemoryCells {
 public:
  // An access at these bytes of the granule. True: it has become finer by it.
  bool note(uint64_t granule, uint32_t offset, uint32_t size) {
    const uint32_t index = index_of(granule);
    uint32_t unit = units_[index].unit;
    while (unit > 1 && (offset % unit != 0 || size % unit != 0)) unit /= 2;
    const bool is_finer = unit != units_[index].unit && units_[index].is_used;
    revision_ += unit != units_[index].unit || !units_[index].is_used;
    units_[index].unit = unit;
    units_[index].is_used = true;
    return is_finer;
  }

  // REQUIRES: noted. Calls `visit(object, offset, size)` for each object that the access touches,
  // with the bytes of it.
  template <typename Visit>
  void each(uint64_t granule, uint32_t offset, uint32_t size, const Visit& visit) {
    const uint32_t unit = units_[index_of(granule)].unit;
    for (uint32_t at = offset - offset % unit; at < offset + size; at += unit) {
      visit(combine(granule, at), at, unit);
    }
  }

  // What is known, for another process.
  template <typename Visit>
  void each_unit(const Visit& visit) const {
    for (const Unit& each : units_) {
      if (each.is_used) visit(each.granule, each.unit);
    }
  }
  // At least so fine, as another process has seen it. True: it was seen otherwise here.
  bool note_unit(uint64_t granule, uint32_t unit) {
    Unit& known = units_[index_of(granule)];
    const bool differs = known.is_used && unit != known.unit;
    revision_ += !known.is_used || unit < known.unit;
    if (!known.is_used || unit < known.unit) known.unit = unit;
    known.is_used = true;
    return differs;
  }
  // Changes with what each_unit visits.
  uint64_t revision() const { return revision_; }

  void clear() {
    units_.clear();
    table_.clear();
  }

 private:
  struct Unit {
    uint64_t granule;
    uint32_t unit;
    bool is_used;
  };

  uint32_t index_of(uint64_t granule) {
    const uint32_t found =
        table_.find(granule, [&](uint32_t i) { return units_[i].granule == granule; });
    if (found != IndexTable::kNotThere) return found;
    const auto added = static_cast<uint32_t>(units_.size());
    units_.push_back({granule, 8, false});
    table_.add(added, [this](uint32_t i) { return units_[i].granule; });
    return added;
  }

  EngineVector<Unit> units_;
  IndexTable table_;
  uint64_t revision_ = 0;
};

}  // namespace jostle::dpor
