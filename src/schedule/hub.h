// SPDX-License-Identifier: Apache-2.0
// The hub: shared memory of a campaign, between all its target processes and the command.
//
// A campaign may have several workers, and each of them may die and be started again; what all have
// seen together is here: different traces and data flows, pairs of a write and a read, and the
// abstract schedules that are worth to go on from. There is no lock: sets are filled by
// compare-and-swap, and an entry of the corpus counts when it is marked ready. Everything is zero
// at the start, which is what mmap gives.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/hash.h"
#include "src/base/probe.h"
#include "src/schedule/operation.h"
#include "src/schedule/search/growing_set.h"
#include "src/schedule/search/saved_search.h"
#include "src/schedule/search/search_board.h"
#include "src/schedule/search/shared_slots.h"
#include "src/schedule/search/unit_exchange.h"

namespace jostle {

// Exact up to half of its slots, an estimate from below after that.
template <uint64_t kSlots>
struct SharedSet {
  static constexpr uint64_t kNoSlot = UINT64_MAX;
  std::atomic<uint64_t> used;
  std::atomic<uint64_t> slots[kSlots];

  bool contains(uint64_t value) const {
    if (value == 0) value = 1;
    uint64_t there = 0;
    probe(value, kSlots, [&](uint64_t i) {
      there = slots[i].load(std::memory_order_relaxed);
      return there == value || there == 0;
    });
    return there == value;
  }

  struct Place {
    uint64_t slot;  // kNoSlot: there is no room for it
    bool is_new;
  };
  Place place(uint64_t value) {
    if (value == 0) value = 1;
    const auto [slot, state] = claim_slot(
        value, value, kSlots, [&](uint64_t i) -> auto& { return slots[i]; },
        [&] { return used.load(std::memory_order_relaxed) < kSlots / 2; });
    if (state == SlotState::no_room) return {kNoSlot, false};
    if (state == SlotState::is_new) used.fetch_add(1, std::memory_order_relaxed);
    return {slot, state == SlotState::is_new};
  }
  // True when it was not there.
  bool insert(uint64_t value) { return place(value).is_new; }
};

// "This read observes that write" (or, negative, any other), over one location. All by names that
// are the same in every run of the same build.
struct Constraint {
  uint64_t location;
  uint64_t write, read;  // abstract events
  bool negative;
  bool operator==(const Constraint&) const = default;
};

inline constexpr uint32_t kMostConstraints = 8;

struct AbstractSchedule {
  uint32_t count = 0;
  Constraint constraints[kMostConstraints];

  bool contains(const Constraint& constraint) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (constraints[i] == constraint) return true;
    }
    return false;
  }
  void erase(uint32_t i) { constraints[i] = constraints[--count]; }
};

// An abstract schedule that showed something new, with what it takes to tell a reader about it.
struct CorpusEntry {
  std::atomic<uint32_t> ready;
  std::atomic<uint32_t> useful;  // it showed something that those before it did not: see rff
  uint32_t worker;               // who added it; kFromDisk: an earlier campaign
  AbstractSchedule schedule;
  struct Places {
    uint64_t write_site, read_site;  // code locations; 0: not known, or the initial value
    uintptr_t object;                // where it was in the run
  } places[kMostConstraints];
};
inline constexpr uint32_t kFromDisk = UINT32_MAX;
// A thread took one lock while it held another.
struct LockEdge {
  std::atomic<uint32_t> ready;  // set last
  uint32_t gate_count;
  struct Lock {
    uint64_t name;  // the same in every run
    // What it is called: where a global lies, where the heap block that holds it was allocated, or
    // where the function is whose variable it is.
    uint64_t place;
    uint64_t offset;  // into the heap block; from it to the end of the function's frame
    uint64_t size;    // of the heap block or frame; 0: not known, or another worker saw it
    uint64_t site;    // where it was taken
    enum Memory : uint32_t { kHeap = 0, kGlobal = 1, kStack = 2 };
    uint32_t memory;
    uint32_t reads;  // for reading only
    // The name counts the blocks that its thread allocated at a place, while other threads ran: in
    // another run it may be another lock's.
    uint32_t is_numbered;
    // Where the functions in which `site` is were called, innermost first; 0: not known. Without
    // optimisation std::mutex and what guards it are functions, and a reader looks for who uses
    // them.
    static constexpr uint32_t kMostCallers = 5;
    uint64_t callers[kMostCallers];
  } held, wanted;
  uint64_t thread;  // spawn path
  uint64_t schedule_number;
  uint64_t run;  // of all runs of all workers of this process
  static constexpr uint32_t kMostGates = 8;
  // What else it held: names, and how many threads may hold each of them at the same time.
  uint64_t gates[kMostGates];

  // A semaphore lets `room` threads in, a lock one. From so many on it keeps nobody out of a cycle
  // that anybody looks for.
  static constexpr uint32_t kMostRoom = 8;
  static uint64_t gate(uint64_t name, uint32_t room) {
    return (name & ~uint64_t{kMostRoom - 1}) | (room - 1);
  }
  static uint64_t gate_name(uint64_t gate) { return gate & ~uint64_t{kMostRoom - 1}; }
  static uint32_t gate_room(uint64_t gate) { return static_cast<uint32_t>(gate % kMostRoom) + 1; }

  // Joined with others of the same run only.
  bool is_of_one_run() const { return held.is_numbered != 0 || wanted.is_numbered != 0; }

  // What tells edges apart. In any order: gates are a set.
  static uint64_t key(const Lock& held, const Lock& wanted, uint64_t thread, const uint64_t* gates,
                      uint32_t gate_count) {
    uint64_t gate_sum = 0;
    for (uint32_t i = 0; i < gate_count; ++i) gate_sum += combine(29, gates[i]);
    const uint64_t key = combine(combine(combine(31, held.name), wanted.name), thread);
    return combine(combine(combine(key, held.site), wanted.site), gate_sum);
  }
};
inline constexpr uint32_t kMostLockEdges = 1 << 12;

inline constexpr uint32_t kMostCorpus = 1 << 12;

struct Hub {
  GrowingSet<1 << 22> traces;
  GrowingTally<1 << 22> reads_from_sets;
  SharedSet<1 << 21> reads_from_pairs;
  SharedSet<1 << 18> event_features;    // pairs of callbacks and the like, see memory/callbacks.h
  SharedSet<1 << 20> features;          // of coverage: see runtime/memory/features.h
  SharedSet<1 << 14> races;             // keys of those that are known well enough
  SharedSet<1 << 14> suppressed;        // keys of those that the user does not want to hear of
  SharedSet<1 << 14> lock_edges_known;  // LockEdge::key
  std::atomic<uint32_t> lock_edges_claimed;
  LockEdge lock_edges[kMostLockEdges];
  std::atomic<uint32_t> corpus_claimed;  // entries that somebody fills in, or has
  CorpusEntry corpus[kMostCorpus];
  SavedSearch search_before;  // to be gone on with
  SavedSearch search_left;    // by this campaign
  SearchBoard search_board;
  UnitExchange unit_exchange;

  // Null when there is no room. Mark it ready when it is complete.
  CorpusEntry* new_entry() {
    const uint32_t index = corpus_claimed.fetch_add(1, std::memory_order_relaxed);
    return index < kMostCorpus ? &corpus[index] : nullptr;
  }
  uint32_t corpus_size() const {
    const uint32_t claimed = corpus_claimed.load(std::memory_order_acquire);
    return claimed < kMostCorpus ? claimed : kMostCorpus;
  }
};

}  // namespace jostle
