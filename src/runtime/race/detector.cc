// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/race/detector.h"

#include "src/base/check.h"
#include "src/runtime/race/atomic_access.h"

namespace jostle::race {
namespace {

constexpr uint32_t kPublisheds = 1 << 16;
constexpr uint32_t kClocks = 1 << 24;
// Of a copy of more memory only so much is looked at.
constexpr uint32_t kLongest = 4096;
// Ended threads that are looked at for one whose slot the next can have.
constexpr size_t kMostCandidates = 16;

template <typename T>
T* table(size_t count) {
  return static_cast<T*>(engine_allocate(count * sizeof(T)));
}

constexpr uint32_t first_bit(uint8_t mask) { return static_cast<uint32_t>(__builtin_ctz(mask)); }
constexpr uint32_t bit_count(uint8_t mask) {
  return static_cast<uint32_t>(__builtin_popcount(mask));
}

}  // namespace

void Detector::begin_run(uint32_t thread, Found found, void* whom) {
  found_ = found;
  whom_ = whom;
  if (!cells_) {
    threads_ = table<ThreadState>(kSlots);
    cells_ = table<Cell>(kCells);
    nodes_ = table<Node>(kNodes);
    publisheds_ = table<Published>(kPublisheds);
    clocks_ = table<Clock>(kClocks);
    pages_ = table<uint32_t>(kPages);
    regions_ = table<uint32_t>(kRegions);
  }
  active_ = looks_ = true;
  told_ = nullptr;
  ++run_;
  last_ = nullptr;
  long_ = 0;
  cells_used_ = free_node_ = 0;
  nodes_used_ = publisheds_used_ = 1;  // 0 means none
  clocks_used_ = 0;
  slots_used_ = 0;
  slot_of_.clear();
  slot_of_.resize(thread + 1);
  ended_.clear();
  slot_of_[thread] = static_cast<uint16_t>(new_slot());
  ThreadState& first = threads_[slot_of_[thread]];
  first.thread = thread;
  first.has_fenced = first.has_observed = false;
  JOSTLE_CHECK_EQ(slots_used_, 1);
  first.clock.set(first.slot, 1);
}

// ---- threads ----------------------------------------------------------------------------------

// One more slot, of which nobody knows anything: what rows hold behind their extent is zero.
uint32_t Detector::new_slot() {
  JOSTLE_CHECK_LT(slots_used_, kSlots);
  const uint32_t slot = slots_used_++;
  ThreadState& state = threads_[slot];
  if (!state.clock.is_attached()) {
    state.slot = slot;
    state.clock.attach(table<Clock>(kSlots));
    state.fenced.attach(table<Clock>(kSlots));
    state.observed.attach(table<Clock>(kSlots));
  }
  state.clock.clear();  // of an earlier run
  return slot;
}

// Of a thread whose end the parent knows of: then everything it did comes before the child, and the
// slot's time just goes on.
uint32_t Detector::slot_for_child_of(const ThreadState& parent) {
  const size_t count = ended_.size() < kMostCandidates ? ended_.size() : kMostCandidates;
  size_t chosen = ended_.size();
  for (size_t i = ended_.size(); i-- > ended_.size() - count;) {
    const uint16_t slot = ended_[i];
    if (parent.clock[slot] >= threads_[slot].clock[slot]) {
      chosen = i;
      break;
    }
  }
  if (chosen == ended_.size()) {
    if (slots_used_ < kSlots) return new_slot();
    if (ended_.empty()) return kSlots;
    chosen = 0;  // its accesses count as ordered: some races go unnoticed
  }
  const uint16_t slot = ended_[chosen];
  ended_[chosen] = ended_.back();
  ended_.pop_back();
  return slot;
}

void Detector::create(uint32_t parent, uint32_t child) {
  if (!active_) return;
  if (told_) told_->create(parent, child);
  ThreadState& from = state_of(parent);
  const uint32_t slot = slot_for_child_of(from);
  if (slot == kSlots) return stop();
  ThreadState& to = threads_[slot];
  const Clock time = to.clock[slot] + 1;
  to.clock.copy(from.clock);
  JOSTLE_CHECK_LE(from.clock[slot], time);  // the child is ahead of what its parent knows of it
  to.clock.set(slot, time);
  to.thread = child;
  to.has_fenced = to.has_observed = false;
  if (child >= slot_of_.size()) slot_of_.resize(child + 1);
  slot_of_[child] = static_cast<uint16_t>(slot);
  advance(from);
}

void Detector::finish(uint32_t thread) {
  if (!active_) return;
  if (told_) told_->finish(thread);
  JOSTLE_CHECK_EQ(state_of(thread).thread, thread);
  JOSTLE_CHECK_LT(ended_.size(), slots_used_);
  ended_.push_back(slot_of_[thread]);
}

bool Detector::knows_ended(uint32_t thread) {
  if (!active_) return true;
  const ClockRow& clock = state_of(thread).clock;
  for (size_t i = 0; i < ended_.size(); ++i) {
    if (clock[ended_[i]] < threads_[ended_[i]].clock[ended_[i]]) return false;
  }
  return true;
}

void Detector::join(uint32_t thread, uint32_t ended) {
  if (!active_) return;
  if (told_) told_->join(thread, ended);
  state_of(thread).clock.join(state_of(ended).clock);
}

void Detector::join_all_ended(uint32_t thread) {
  if (!active_) return;
  for (size_t i = 0; i < ended_.size(); ++i) join(thread, threads_[ended_[i]].thread);
}

void Detector::order(uint32_t from, uint32_t to) {
  if (!active_ || from == to) return;
  if (told_) told_->order(from, to);
  join(to, from);
  advance(state_of(from));
}

// ---- what is published ------------------------------------------------------------------------

Detector::Published* Detector::published(uintptr_t object) {
  Cell* cell = find(object, false);
  if (!cell) return nullptr;
  Published* whole = nullptr;
  for (uint32_t i = cell->published; i; i = publisheds_[i].next) {
    if (publisheds_[i].offset == (object & 7)) return &publisheds_[i];
    if (publisheds_[i].offset == kWholeGranule) whole = &publisheds_[i];
  }
  return whole;
}

// For writing: of its own, with what the granule as a whole had. Null when there is no room: then
// nothing that follows could be trusted, and the detection is over for this run.
Detector::Published* Detector::make_published(uintptr_t object) {
  Published* known = published(object);
  if (known && known->offset != kWholeGranule) return known;
  Cell* cell = find(object, true);
  if (!cell || publisheds_used_ == kPublisheds) {
    stop();
    return nullptr;
  }
  const uint32_t index = publisheds_used_++;
  Published& fresh = publisheds_[index];
  fresh = {cell->published, 0, 0, 0, static_cast<uint8_t>(object & 7)};
  cell->published = index;
  if (known) {
    if (!room_for_all_slots(fresh)) return nullptr;
    fresh.size = known->size;
    clocks::copy_lanes(clocks_ + fresh.clocks, clocks_ + known->clocks, known->size);
  }
  return &fresh;
}

bool Detector::room_for_all_slots(Published& to) {
  if (to.capacity >= slots_used_) return true;
  const uint32_t capacity = (slots_used_ + 7) / 8 * 8;
  if (clocks_used_ + capacity > kClocks) {
    stop();
    return false;
  }
  clocks::copy_lanes(clocks_ + clocks_used_, clocks_ + to.clocks, to.size);
  to.clocks = clocks_used_;
  to.capacity = static_cast<uint16_t>(capacity);
  clocks_used_ += capacity;
  return true;
}

inline void Detector::join_into(ClockRow& to, const Published& from) {
  JOSTLE_CHECK(from.size <= slots_used_ && from.size <= from.capacity);
  JOSTLE_CHECK_LE(from.clocks + from.capacity, clocks_used_);
  to.join_lanes(clocks_ + from.clocks, from.size);
}

inline void Detector::publish(Published& to, const ClockRow& clock, bool keep_old) {
  if (!room_for_all_slots(to)) return;
  const uint32_t old = keep_old ? to.size : 0, all = clock.extent();
  JOSTLE_CHECK_LE(all, slots_used_);
  clock.add_to(clocks_ + to.clocks, old);
  to.size = static_cast<uint16_t>(old > all ? old : all);
  JOSTLE_CHECK_LE(to.size, to.capacity);
}

void Detector::acquire(uint32_t thread, uintptr_t object) {
  if (!active_) return;
  if (told_) told_->acquire(thread, object);
  const Published* from = published(object);
  if (!from) return;
  ThreadState& state = state_of(thread);
  join_into(state.clock, *from);
  if (long_) [[unlikely]]
    drop_known(state);
}

void Detector::release(uint32_t thread, uintptr_t object) {
  if (!active_) return;
  if (told_) told_->release(thread, object);
  Published* to = make_published(object);
  if (!to) return;
  ThreadState& state = state_of(thread);
  publish(*to, state.clock, true);
  advance(state);
  // Nobody knows more of a thread than it has done.
  JOSTLE_CHECK_LT(clocks_[to->clocks + slot_of_[thread]], time_of(state));
}

void Detector::forget_releases(uintptr_t object) {
  if (!active_) return;
  if (told_) told_->forget_releases(object);
  if (Published* known = published(object)) known->size = 0;
}

// ---- atomics ----------------------------------------------------------------------------------

void Detector::atomic_load(uint32_t thread, uintptr_t address, Order order) {
  if (!active_) return;
  const Published* from = published(address);
  if (!from || from->size == 0) return;
  JOSTLE_CHECK(from->size <= slots_used_ && from->size <= from->capacity);
  observe(thread, clocks_ + from->clocks, from->size, order);
}

void Detector::observe(uint32_t thread, const Clock* published, uint32_t count, Order order) {
  ThreadState& state = state_of(thread);
  const bool acquires = order & kAcquire;
  if (!acquires && !state.has_observed) {
    state.observed.clear();
    state.has_observed = true;
  }
  (acquires ? state.clock : state.observed).join(published, count);
  if (acquires && long_) [[unlikely]]
    drop_known(state);
}

inline const ClockRow* Detector::published_by(const ThreadState& state, Order order) const {
  return order & kRelease ? &state.clock : state.has_fenced ? &state.fenced : nullptr;
}

const Clock* Detector::publishes(uint32_t thread, Order order) {
  const ClockRow* row = published_by(state_of(thread), order);
  return row ? row->data() : nullptr;
}

void Detector::atomic_store(uint32_t thread, uintptr_t address, Order order) {
  if (!active_) return;
  ThreadState& state = state_of(thread);
  const ClockRow* clock = published_by(state, order);
  if (!clock) {
    if (published(address)) {
      if (Published* to = make_published(address)) to->size = 0;
    }
    return;
  }
  Published* to = make_published(address);
  if (!to) return;
  publish(*to, *clock, false);
  if (order & kRelease) advance(state);
}

void Detector::atomic_rmw(uint32_t thread, uintptr_t address, Order order) {
  if (!active_) return;
  ThreadState& state = state_of(thread);
  const Cell* cell = find(address, false);
  // A counter, most often: nobody publishes anything by it.
  const bool is_unpublished = !cell || !cell->published;
  if (order == kRelaxed && !state.has_fenced && is_unpublished) return;
  if (order == kAcquireRelease && !is_unpublished && unites(state, *cell, address & 7)) return;
  atomic_load(thread, address, order);
  const ClockRow* clock = published_by(state, order);
  if (!clock) return;
  Published* to = make_published(address);
  if (!to) return;
  publish(*to, *clock, true);
  if (order & kRelease) advance(state);
}

void Detector::order_by(Atomic what, uint32_t thread, uintptr_t address, Order order) {
  switch (what) {
    case Atomic::load:
      return atomic_load(thread, address, order);
    case Atomic::store:
      return atomic_store(thread, address, order);
    case Atomic::modify:
      return atomic_rmw(thread, address, order);
  }
}

void Detector::fence(uint32_t thread, Order order) {
  if (!active_) return;
  ThreadState& state = state_of(thread);
  if ((order & kAcquire) && state.has_observed) {
    state.clock.join(state.observed);
  }
  if (order & kRelease) {
    state.fenced.copy(state.clock);
    state.has_fenced = true;
    advance(state);
  }
}

void Detector::assume_released(uint32_t owner, uintptr_t address) {
  if (!active_ || owner >= slot_of_.size()) return;
  Cell* cell = find(address, true);
  if (!cell || publisheds_used_ == kPublisheds) return stop();
  ThreadState& state = state_of(owner);
  // Some of them may have been seen: what is known of an atomic there is not all that was
  // published.
  for (uint32_t i = cell->published; i; i = publisheds_[i].next) {
    publish(publisheds_[i], state.clock, true);
  }
  const uint32_t index = publisheds_used_++;
  publisheds_[index] = {cell->published, 0, 0, 0, kWholeGranule};
  cell->published = index;
  publish(publisheds_[index], state.clock, false);
  advance(state);
}

// ---- memory -----------------------------------------------------------------------------------

inline void Detector::drop(uint32_t* link) {
  const uint32_t index = *link;
  *link = nodes_[index].next;
  free_node(index);
}

// A thousand threads that each use the same atomic or lock once: when one comes it does not know of
// those before yet, and nobody would ever drop their accesses. Now that it has acquired what they
// published, who knows of its access knows of theirs.
void Detector::drop_known(const ThreadState& state) {
  for (uintptr_t granule = long_; granule < long_end_; granule += 8) {
    if (Cell* cell = find(granule, false)) drop_known(state, *cell);
  }
  long_ = 0;
}

void Detector::drop_known(const ThreadState& state, Cell& cell) {
  const uint32_t first = cell.accesses;
  if (first == 0 || nodes_[first].slot != state.slot) return;
  const Node& own = nodes_[first];
  if (own.clock != time_of(state)) return;
  for (uint32_t* link = &nodes_[first].next; *link != 0;) {
    const Node& node = nodes_[*link];
    const bool goes = node.clock <= state.clock[node.slot] && !(node.mask & ~own.mask) &&
                      covers(own.kind, node.kind);
    if (goes) {
      drop(link);
    } else {
      link = &nodes_[*link].next;
    }
  }
}

// Apart, because an access that races with nothing shall not make room for two descriptions.
__attribute__((noinline, cold)) void Detector::report(const Node& node, uint32_t slot,
                                                      uintptr_t granule, uint8_t mask, uint8_t kind,
                                                      uintptr_t pc, uint32_t context) {
  const uintptr_t address = granule + first_bit(node.mask & mask);
  found_(whom_, {address, node.pc, node.thread, bit_count(node.mask), node.context, node.kind},
         {address, pc, threads_[slot].thread, bit_count(mask), context, kind});
}

void Detector::in_granule(uint32_t slot, uintptr_t granule, uint8_t mask, uint8_t kind,
                          uintptr_t pc, uint32_t context) {
  Cell* cell = find(granule, true);
  if (cell) in_cell(*cell, slot, granule, mask, kind, pc, context);
}

void Detector::in_range(uint32_t thread, uintptr_t address, uint32_t size, uint8_t kind,
                        uintptr_t pc, uint32_t context) {
  const uint32_t slot = slot_of_[thread];
  const uint32_t offset = address & 7;
  const uintptr_t end = address + (size < kLongest ? size : kLongest);
  uintptr_t first_long = 0;
  for (uintptr_t granule = address - offset; granule < end; granule += 8) {
    uint8_t mask = 0xFF;
    if (granule < address) mask = static_cast<uint8_t>(mask << offset);
    if (granule + 8 > end) mask &= static_cast<uint8_t>((1u << (end - granule)) - 1);
    in_granule(slot, granule, mask, kind, pc, context);
    if (first_long == 0) first_long = long_;
  }
  long_ = first_long;
  if (long_ != 0) long_end_ = end;
}

// The newest of the thread's in this granule, if it is as new as can be; `pc`: 0 or where it has to
// be. An older one that it took the place of does not come back: that may hide a race.
bool Detector::take_back_in(uint32_t slot, uintptr_t granule, uintptr_t pc, Access& into) {
  Cell* cell = find(granule, false);
  if (!cell) return false;
  const Clock now = time_of(threads_[slot]);
  for (uint32_t* link = &cell->accesses; *link; link = &nodes_[*link].next) {
    const Node& node = nodes_[*link];
    if (node.slot != slot || node.clock != now || (pc != 0 && node.pc != pc)) continue;
    const uintptr_t begin = granule + first_bit(node.mask);
    const uintptr_t end = begin + bit_count(node.mask);
    const uintptr_t known_end = into.address + into.size;
    if (into.size == 0) {
      into = {begin, node.pc, node.thread, bit_count(node.mask), node.context, node.kind};
    } else {
      if (begin < into.address) into.address = begin;
      into.size = static_cast<uint32_t>((end > known_end ? end : known_end) - into.address);
    }
    drop(link);
    return true;
  }
  return false;
}

Access Detector::take_back(uint32_t thread, uintptr_t address) {
  Access access;
  if (!looks_) return access;
  const uint32_t slot = slot_of_[thread];
  const uintptr_t granule = address & ~uintptr_t{7};
  if (!take_back_in(slot, granule, 0, access)) return access;
  for (uintptr_t p = granule - 8; take_back_in(slot, p, access.pc, access);) p -= 8;
  for (uintptr_t p = granule + 8; take_back_in(slot, p, access.pc, access);) p += 8;
  return access;
}

void Detector::forget_page(uintptr_t from, uintptr_t to) {
  for (uintptr_t p = from & ~uintptr_t{7}; p < to; p += 8) {
    Cell* cell = find(p, false);
    if (!cell) continue;
    // A granule that is only partly in the range keeps the bytes that are not.
    uint8_t mask = 0xFF;
    if (p < from) mask = static_cast<uint8_t>(mask << (from - p));
    if (p + 8 > to) mask &= static_cast<uint8_t>((1u << (to - p)) - 1);
    for (uint32_t* link = &cell->accesses; *link;) {
      Node& node = nodes_[*link];
      node.mask &= static_cast<uint8_t>(~mask);
      if (node.mask) {
        link = &node.next;
        continue;
      }
      drop(link);
    }
    if (mask == 0xFF) cell->published = 0;
  }
}

void Detector::forget(uintptr_t begin, size_t size) {
  if (!active_ || cells_used_ == 0 || size == 0) return;
  const uintptr_t end = begin + size;
  for (uintptr_t region = begin >> kRegionBits; region <= (end - 1) >> kRegionBits; ++region) {
    if (regions_[region % kRegions] != run_) continue;
    const uintptr_t first = region << kRegionBits, last = (region + 1) << kRegionBits;
    const uintptr_t from = first > begin ? first : begin, to = last < end ? last : end;
    for (uintptr_t page = from >> kPageBits; page <= (to - 1) >> kPageBits; ++page) {
      if (pages_[page % kPages] != run_) continue;
      const uintptr_t page_begin = page << kPageBits, page_end = (page + 1) << kPageBits;
      forget_page(page_begin > from ? page_begin : from, page_end < to ? page_end : to);
    }
  }
}

}  // namespace jostle::race
