// SPDX-License-Identifier: Apache-2.0
// Where the histories are: by granules of 8 bytes, each with the locations in it.
#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/probe.h"
#include "src/runtime/weak/weak_memory.h"

namespace jostle::weak {
namespace {

constexpr uintptr_t kLocationCells = 1 << 14;
constexpr uint32_t kMostLocationCells = kLocationCells / 4 * 3;
constexpr uint32_t kHistories = 1 << 13;
constexpr uint32_t kStoreClocks = 1 << 22;
constexpr uintptr_t kLocationPages = 1 << 12, kLocationPageBits = 12;
// Of more memory than this, it is cheaper to look at all histories.
constexpr size_t kFewPages = 4096;

template <typename T>
T* new_table(size_t count) {
  return static_cast<T*>(engine_allocate(count * sizeof(T)));
}

uint8_t mask_of(uint32_t offset, uint32_t size) {
  return static_cast<uint8_t>(((1u << size) - 1) << offset);
}

}  // namespace

void WeakMemory::begin_run(race::Detector& detector, uint32_t longest_history) {
  JOSTLE_CHECK(longest_history >= 2 && longest_history <= kLongestHistory);
  longest_ = longest_history;
  cut_ = Cut::none;
  if (!cells_) {
    cells_ = new_table<Cell>(kLocationCells);
    histories_ = new_table<History>(kHistories);
    clocks_ = new_table<Clock>(kStoreClocks);
    pages_ = new_table<uint32_t>(kLocationPages);
  }
  detector_ = &detector;
  active_ = true;
  ++run_;
  serial_ = 0;
  cells_used_ = clocks_used_ = free_history_ = living_ = 0;
  histories_used_ = 1;  // 0 means none
}

WeakMemory::Cell* WeakMemory::cell_of(uintptr_t address, bool make) {
  const uintptr_t key = address >> 3;
  Cell* cell = nullptr;
  bool is_free = false;
  probe(key * 0x9E3779B97F4A7C15 >> 50, kLocationCells, [&](uintptr_t i) {
    cell = &cells_[i];
    is_free = cell->run != run_;
    return is_free || cell->key == key;
  });
  if (!is_free) return cell;
  if (make && cells_used_ == kMostLocationCells) note_cut(Cut::room);
  if (!make || cells_used_ == kMostLocationCells) return nullptr;
  ++cells_used_;
  *cell = {key, run_, 0};
  pages_[(address >> kLocationPageBits) % kLocationPages] = run_;
  return cell;
}

History* WeakMemory::new_history(Cell& cell) {
  uint32_t index = free_history_;
  if (index != 0) {
    free_history_ = histories_[index].next;
  } else if (histories_used_ < kHistories) {
    index = histories_used_++;
    for (uint32_t i = 0; i < longest_; ++i) histories_[index].stores[i].capacity = 0;
  } else {
    note_cut(Cut::room);
    return nullptr;
  }
  ++living_;
  History& history = histories_[index];
  history.next = cell.first;
  history.in_use = true;
  history.whole = false;
  cell.first = index;
  return &history;
}

void WeakMemory::release(uint32_t index) {
  JOSTLE_CHECK(histories_[index].in_use && living_ != 0);
  --living_;
  histories_[index].in_use = false;
  histories_[index].next = free_history_;
  free_history_ = index;
}

// One store, which everybody knows and which publishes nothing.
void WeakMemory::begin_with(History& history, uint64_t value) {
  history.clear();
  Store& store = history.insert(0);
  store.value = value;
  store.origin = {};
  store.serial = history.latest = ++serial_;
  store.published = 0;
  store.seers = 0;
  store.known_to_all = store.modifies = store.sequential = false;
}

// Somebody who is not seen has written: what he may have published counts as published.
void WeakMemory::restart(History& history, uint64_t value) {
  // Who is alone knows all that there was.
  if (detector_->living() > 1) note_cut(Cut::unseen);
  Store& newest = history.newest();
  for (uint32_t i = 0; i < history.last(); ++i) {
    const Store& older = history.at(i);
    if (older.published != 0) publish(newest, clocks_ + older.clocks, older.published);
  }
  while (history.count > 1) history.drop_oldest();
  history.has_dropped = false;
  newest.value = value;
  newest.origin = {};
  newest.serial = history.latest = ++serial_;
  newest.modifies = newest.sequential = false;
}

History* WeakMemory::find(uintptr_t address, uint32_t size, uint64_t value) {
  const uint32_t offset = address & 7;
  Cell* cell = cell_of(address, true);
  if (!cell) return nullptr;
  const bool crosses = offset + size > 8;
  const uint8_t mask = crosses ? 0 : mask_of(offset, size);
  for (uint32_t i = cell->first; i; i = histories_[i].next) {
    History& history = histories_[i];
    if (history.whole) return &history;
    if (history.offset == offset && history.size == size) {
      if (history.newest().value != value) restart(history, value);
      return &history;
    }
    if (crosses || (mask_of(history.offset, history.size) & mask)) return merge(*cell);
  }
  if (crosses) return merge(*cell);
  History* history = new_history(*cell);
  if (!history) return nullptr;
  history->offset = static_cast<uint8_t>(offset);
  history->size = static_cast<uint8_t>(size);
  begin_with(*history, value);
  return history;
}

History* WeakMemory::find_whole(uintptr_t address) {
  Cell* cell = cell_of(address, true);
  if (!cell) return nullptr;
  if (cell->first != 0 && histories_[cell->first].whole) return &histories_[cell->first];
  return merge(*cell);
}

// All locations of the granule become one, of which only the newest store can be read.
History* WeakMemory::merge(Cell& cell) {
  note_cut(Cut::sizes);
  const uint32_t old = cell.first;
  cell.first = 0;
  History* merged = new_history(cell);
  if (!merged) {
    cell.first = old;
    return nullptr;
  }
  merged->offset = 0;
  merged->size = 8;
  merged->whole = true;
  begin_with(*merged, 0);
  for (uint32_t i = old; i;) {
    const uint32_t next = histories_[i].next;
    restart(histories_[i], 0);
    const Store& newest = histories_[i].newest();
    if (newest.published != 0) publish(merged->newest(), clocks_ + newest.clocks, newest.published);
    release(i);
    i = next;
  }
  return merged;
}

// ---- clocks -----------------------------------------------------------------------------------

bool WeakMemory::room_for_all_slots(Store& store) {
  const uint32_t slots = detector_->slots();
  if (store.capacity >= slots) return true;
  const uint32_t capacity = (slots + 7) / 8 * 8;
  if (clocks_used_ + capacity > kStoreClocks) {
    active_ = false;
    detector_->stop();  // it would miss what orders accesses
    return false;
  }
  for (uint32_t i = 0; i < store.published; ++i) {
    clocks_[clocks_used_ + i] = clocks_[store.clocks + i];
  }
  store.clocks = clocks_used_;
  store.capacity = static_cast<uint16_t>(capacity);
  clocks_used_ += capacity;
  return true;
}

// Adds to what the store publishes.
void WeakMemory::publish(Store& store, const Clock* clocks, uint32_t count) {
  if (!room_for_all_slots(store)) return;
  JOSTLE_CHECK_LE(count, store.capacity);
  Clock* out = clocks_ + store.clocks;
  for (uint32_t i = store.published; i < count; ++i) out[i] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (clocks[i] > out[i]) out[i] = clocks[i];
  }
  if (count > store.published) store.published = static_cast<uint16_t>(count);
}

// ---- memory that changes hands ----------------------------------------------------------------

void WeakMemory::forget_in_granule(uintptr_t granule, uint8_t mask) {
  Cell* cell = cell_of(granule, false);
  if (!cell) return;
  for (uint32_t* link = &cell->first; *link;) {
    const uint32_t index = *link;
    History& history = histories_[index];
    // What is left of a whole granule is not known: it stays.
    const bool goes = history.whole ? mask == 0xFF : mask_of(history.offset, history.size) & mask;
    if (!goes) {
      link = &history.next;
      continue;
    }
    *link = history.next;
    release(index);
  }
}

void WeakMemory::forget(uintptr_t begin, size_t size) {
  if (!active_ || living_ == 0 || size == 0) return;
  const uintptr_t end = begin + size;
  const auto mask_at = [&](uintptr_t granule) {
    uint8_t mask = 0xFF;
    if (granule < begin) mask = static_cast<uint8_t>(mask << (begin - granule));
    if (granule + 8 > end) mask &= static_cast<uint8_t>((1u << (end - granule)) - 1);
    return mask;
  };
  if (size >> kLocationPageBits >= kFewPages) {
    for (uintptr_t i = 0; i < kLocationCells; ++i) {
      const uintptr_t granule = cells_[i].key << 3;
      if (cells_[i].run != run_ || granule + 8 <= begin || granule >= end) continue;
      forget_in_granule(granule, mask_at(granule));
    }
    return;
  }
  for (uintptr_t page = begin >> kLocationPageBits; page <= (end - 1) >> kLocationPageBits;
       ++page) {
    if (pages_[page % kLocationPages] != run_) continue;
    const uintptr_t first = page << kLocationPageBits, behind = (page + 1) << kLocationPageBits;
    const uintptr_t from = first > begin ? first : begin, to = behind < end ? behind : end;
    for (uintptr_t p = from & ~uintptr_t{7}; p < to; p += 8) forget_in_granule(p, mask_at(p));
  }
}

}  // namespace jostle::weak
