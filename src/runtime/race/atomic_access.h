// SPDX-License-Identifier: Apache-2.0
// The detector's hot path, inlined where atomic operations are: the record of a granule is found
// once, for the access and for what the operation orders.
#pragma once

#include "src/base/check.h"
#include "src/base/probe.h"
#include "src/runtime/race/detector.h"

namespace jostle::race {

constexpr bool conflicts(uint8_t a, uint8_t b) { return ((a | b) & kWrite) && !(a & b & kAtomic); }
// Whatever conflicts with `b` conflicts with `a`, too.
constexpr bool covers(uint8_t a, uint8_t b) {
  return (!(b & kWrite) || (a & kWrite)) && ((b & kAtomic) || !(a & kAtomic));
}

inline Detector::Cell* Detector::find(uintptr_t address, bool make) {
  const uintptr_t key = address >> 3;
  if (last_ && last_->key == key) return last_;
  // Neighbours in memory are neighbours here, in groups of eight.
  const uintptr_t hash = (key >> 3) * 0x9E3779B97F4A7C15 >> 50 << 3 | (key & 7);
  Cell* cell = nullptr;
  bool is_free = false;
  probe(hash, kCells, [&](uintptr_t i) {
    cell = &cells_[i];
    is_free = cell->run != run_;
    return is_free || cell->key == key;
  });
  if (is_free) {
    if (!make || cells_used_ == kMostCells) return nullptr;
    ++cells_used_;
    JOSTLE_CHECK_LE(cells_used_, kMostCells);
    *cell = {key, run_, 0, 0};
    pages_[(address >> kPageBits) % kPages] = run_;
    regions_[(address >> kRegionBits) % kRegions] = run_;
  }
  return last_ = cell;
}

inline uint32_t Detector::new_node() {
  if (free_node_) {
    const uint32_t index = free_node_;
    JOSTLE_CHECK_LT(index, nodes_used_);
    free_node_ = nodes_[index].next;
    return index;
  }
  return nodes_used_ < kNodes ? nodes_used_++ : 0;
}

inline __attribute__((always_inline)) void Detector::in_cell(Cell& cell, uint32_t slot,
                                                             uintptr_t granule, uint8_t mask,
                                                             uint8_t kind, uintptr_t pc,
                                                             uint32_t context) {
  JOSTLE_CHECK(slot < slots_used_ && mask != 0 && granule % 8 == 0);
  Node* const nodes = nodes_;
  const Clock* const known = threads_[slot].clock.data();
  const Clock now = known[slot];
  // The thread was the last one here, has done the same, and nothing else is known: most often.
  if (Node& last = nodes[cell.accesses]; cell.accesses != 0 && last.next == 0 &&
                                         last.slot == slot && last.mask == mask &&
                                         last.kind == kind) {
    if (last.clock == now) return;
    long_ = 0;
    last = {pc, 0, now, threads_[slot].thread, context, last.slot, mask, kind};
    return;
  }
  uint32_t* link = &cell.accesses;
  uint32_t kept = 0, unused = 0;
  for (uint32_t index = *link; index != 0; index = *link) {
    Node& node = nodes[index];
    JOSTLE_CHECK(index < nodes_used_ && node.slot < slots_used_ && node.mask != 0);
    JOSTLE_CHECK_LE(node.clock, threads_[node.slot].clock[node.slot]);
    // Nothing new as far as others are concerned. The nodes behind were looked at when this one
    // came, those before it just now.
    if (node.slot == slot && node.clock == now && !(mask & ~node.mask) && covers(node.kind, kind)) {
      return free_node(unused);
    }
    bool done = node.slot == slot || node.clock <= known[node.slot];
    if (!done && (node.mask & mask) && conflicts(node.kind, kind)) [[unlikely]] {
      free_node(unused);
      unused = 0;
      report(node, slot, granule, mask, kind, pc, context);
      done = true;  // it has had its due
    }
    // Who is not ordered behind the old one is not ordered behind this one either.
    if (done && !(node.mask & ~mask) && covers(kind, node.kind)) {
      *link = node.next;
      free_node(unused);
      unused = index;  // most often the only one, and the new one's place
    } else {
      link = &node.next;
      ++kept;
    }
  }
  long_ = 0;
  if (kept >= kMany) [[unlikely]] {
    long_ = granule;
    long_end_ = granule + 8;
  }
  const uint32_t index = unused ? unused : new_node();
  if (!index) return;
  nodes[index] = {
      pc,   cell.accesses, now, threads_[slot].thread, context, static_cast<uint16_t>(slot),
      mask, kind};
  cell.accesses = index;
}

// What was published there and what the thread knows become the same. False: there is nothing.
inline __attribute__((always_inline)) bool Detector::unites(ThreadState& state, const Cell& cell,
                                                            uint32_t offset) {
  Published& to = publisheds_[cell.published];
  if (to.offset != offset || to.capacity < slots_used_) return false;
  Clock* const there = clocks_ + to.clocks;
  if (long_) [[unlikely]] {
    state.clock.join_lanes(there, to.size);
    drop_known(state);
  }
  state.clock.unite_with(there, to.size);
  to.size = static_cast<uint16_t>(state.clock.extent());
  JOSTLE_CHECK_LE(to.size, to.capacity);
  advance(state);
  return true;
}

inline __attribute__((always_inline)) void Detector::atomic(Atomic what, uint32_t thread,
                                                            uintptr_t address, uint32_t size,
                                                            Order order, uintptr_t pc,
                                                            uint32_t context) {
  const uint32_t offset = address & 7;
  const uint8_t kind = what == Atomic::load ? kAtomic : kAtomic | kWrite;
  if (!looks_ || offset + size > 8) [[unlikely]] {
    access(thread, address, size, kind, pc, context);
  } else if (Cell* const cell = find(address, true)) {
    const uint32_t slot = slot_of_[thread];
    in_cell(*cell, slot, address - offset, mask_of(offset, size), kind, pc, context);
    const bool unites_both = what == Atomic::modify && order == kAcquireRelease;
    if (unites_both && cell->published && unites(threads_[slot], *cell, offset)) return;
  }
  order_by(what, thread, address, order);
}

}  // namespace jostle::race
