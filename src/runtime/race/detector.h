// SPDX-License-Identifier: Apache-2.0
// Happens-before: which accesses of different threads are ordered by synchronisation, and which
// conflict without being ordered. The algorithm is FastTrack's (Flanagan and Freund, 2009): vector
// clocks for threads and synchronisation objects, and for each piece of memory only the accesses
// that can still matter, as pairs of (thread, its clock).
//
// Where it differs from the paper: accesses are kept per 8-byte granule with a mask of the bytes
// they touch, so that neighbours in a word do not disturb each other and accesses of different
// sizes meet where they overlap; atomic accesses are kept, too, because they conflict with plain
// ones; and clocks belong to *slots* that threads use one after the other, so that a program of ten
// thousand short threads has clocks of a few entries.
//
// Everything here errs on one side: what is not known (no room, an operation not seen) counts as
// ordered. A report is always about two accesses that nothing in the run has ordered.
//
// Pure: knows no scheduler and makes no system call. Threads are the indices of a run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/runtime/race/clock_row.h"

namespace jostle::race {

// What an access does: bits.
enum Kind : uint8_t {
  kRead = 0,
  kWrite = 1,
  kAtomic = 2,
  kFree = 4,      // with kWrite: the memory is given back
  kVolatile = 8,  // with kAtomic: it only counts as such
};

// What a memory order does, as <atomic> means them; consume counts as acquire.
enum Order : uint8_t { kRelaxed = 0, kAcquire = 1, kRelease = 2, kAcquireRelease = 3 };

struct Access {
  uintptr_t address = 0;  // first byte in common with the other access of a conflict
  uintptr_t pc = 0;
  uint32_t thread = 0;
  uint32_t size = 0;     // bytes in the granule
  uint32_t context = 0;  // the caller's: what else to remember of it
  uint8_t kind = kRead;
};

class Detector {
 public:
  // Called for two accesses that conflict and are not ordered. May not come back.
  using Found = void (*)(void* whom, const Access& earlier, const Access& later);

  // A new run of one thread, `thread`.
  void begin_run(uint32_t thread, Found found, void* whom);
  void stop() { active_ = looks_ = false; }
  bool active() const { return active_; }
  // Clocks go on, accesses are not looked at any more in this run.
  void look_away() { looks_ = false; }
  // The other one hears of threads and synchronisation objects, too, until the next run: it has
  // begun with the same thread, and has an opinion of its own about atomics.
  void tell(Detector* other) { told_ = other; }

  // ---- threads
  void create(uint32_t parent, uint32_t child);
  void finish(uint32_t thread);
  // Everything that ended threads did comes before what this one does next.
  bool knows_ended(uint32_t thread);
  void join(uint32_t thread, uint32_t ended);
  void join_all_ended(uint32_t thread);
  // What `from` did so far comes before what `to` does next.
  void order(uint32_t from, uint32_t to);

  // ---- synchronisation objects, named by an address
  void acquire(uint32_t thread, uintptr_t object);
  // Adds to what earlier releases of the object have published.
  void release(uint32_t thread, uintptr_t object);
  // Nobody has released it yet.
  void forget_releases(uintptr_t object);

  // ---- atomics: the ordering only; `access` says that they touch memory
  void atomic_load(uint32_t thread, uintptr_t address, Order order);
  // Begins a new release sequence (C++20: also a relaxed one of the same thread ends the old).
  void atomic_store(uint32_t thread, uintptr_t address, Order order);
  // Goes on with the release sequence it finds.
  void atomic_rmw(uint32_t thread, uintptr_t address, Order order);
  enum class Atomic { load, store, modify };
  void order_by(Atomic what, uint32_t thread, uintptr_t address, Order order);
  // Both: `access`, and what the operation orders.
  void atomic(Atomic what, uint32_t thread, uintptr_t address, uint32_t size, Order order,
              uintptr_t pc, uint32_t context);
  void fence(uint32_t thread, Order order);
  // Operations of `owner` on atomics in this granule were not seen: whatever they have published
  // counts as published now, with all that `owner` has done so far.
  void assume_released(uint32_t owner, uintptr_t address);

  // ---- clocks of threads, for who keeps the stores to atomics (weak/weak_memory.h)
  uint32_t slots() const { return slots_used_; }
  uint32_t slot_of(uint32_t thread) const { return slot_of_[thread]; }
  // Threads that have not ended.
  uint32_t living() const { return slots_used_ - static_cast<uint32_t>(ended_.size()); }
  // What the thread knows of every slot; at its own slot: its time.
  const Clock* clock_of(uint32_t thread) { return state_of(thread).clock.data(); }
  // The thread has read a store that published these.
  void observe(uint32_t thread, const Clock* published, uint32_t count, Order order);
  // What a store of this order publishes; null: nothing.
  const Clock* publishes(uint32_t thread, Order order);
  // It has published: what it does from now on is not part of it.
  void advance(uint32_t thread) { advance(state_of(thread)); }

  // ---- memory
  void access(uint32_t thread, uintptr_t address, uint32_t size, uint8_t kind, uintptr_t pc,
              uint32_t context) {
    if (!looks_) return;
    const uint32_t offset = address & 7;
    if (offset + size > 8) return in_range(thread, address, size, kind, pc, context);
    in_granule(slot_of_[thread], address - offset, mask_of(offset, size), kind, pc, context);
  }
  // The last access of the thread at `address` has not happened, after all. Of several granules
  // that it touched all are meant. What it was; size 0: there is none.
  Access take_back(uint32_t thread, uintptr_t address);
  // Fresh memory: what happened there before does not race with its new owner.
  void forget(uintptr_t begin, size_t size);

 private:
  static constexpr uint32_t kSlots = 1024;  // threads at once; more end the detection for the run
  static constexpr uintptr_t kCells = 1 << 17;
  static constexpr uint32_t kMostCells = kCells / 4 * 3;
  static constexpr uint32_t kNodes = 1 << 19;
  static constexpr uintptr_t kPages = 1 << 12, kPageBits = 12;
  static constexpr uintptr_t kRegions = 1 << 10, kRegionBits = 21;
  // Accesses kept of one granule from which on they are looked through once more: see drop_known.
  static constexpr uint32_t kMany = 16;

  struct ThreadState {
    ClockRow clock;     // what is known of every slot; its own is its time
    ClockRow fenced;    // at the last release fence
    ClockRow observed;  // what relaxed loads have seen, for the next acquire fence
    uint32_t slot = 0;
    uint32_t thread = 0;
    bool has_fenced = false, has_observed = false;
  };
  // What the releases of one object have published.
  struct Published {
    uint32_t next;      // of the same granule; 0: none
    uint32_t clocks;    // where in clocks_, in whole lanes (clock_row.h)
    uint16_t capacity;  // of it
    uint16_t size;      // used: slots behind are at 0
    uint8_t offset;     // in the granule; kWholeGranule: of all in it that have none of their own
  };
  static constexpr uint8_t kWholeGranule = 255;
  struct Node {
    uintptr_t pc;
    uint32_t next;  // 0: none
    Clock clock;
    uint32_t thread;
    uint32_t context;
    uint16_t slot;
    uint8_t mask;
    uint8_t kind;
  };
  struct Cell {
    uintptr_t key;  // address / 8
    uint32_t run;
    uint32_t accesses;   // Nodes; 0: none
    uint32_t published;  // 0: none
  };

  ThreadState& state_of(uint32_t thread) {
    JOSTLE_CHECK_LT(slot_of_[thread], slots_used_);
    return threads_[slot_of_[thread]];
  }
  uint32_t new_slot();
  uint32_t slot_for_child_of(const ThreadState& parent);
  static Clock time_of(const ThreadState& state) { return state.clock[state.slot]; }
  static void advance(ThreadState& state) { state.clock.advance(state.slot); }
  const ClockRow* published_by(const ThreadState& state, Order order) const;
  Cell* find(uintptr_t address, bool make);
  Published* published(uintptr_t object);
  Published* make_published(uintptr_t object);
  bool room_for_all_slots(Published& to);
  void join_into(ClockRow& to, const Published& from);
  void publish(Published& to, const ClockRow& clock, bool keep_old);
  void in_range(uint32_t thread, uintptr_t address, uint32_t size, uint8_t kind, uintptr_t pc,
                uint32_t context);
  void in_granule(uint32_t slot, uintptr_t granule, uint8_t mask, uint8_t kind, uintptr_t pc,
                  uint32_t context);
  void in_cell(Cell& cell, uint32_t slot, uintptr_t granule, uint8_t mask, uint8_t kind,
               uintptr_t pc, uint32_t context);
  bool unites(ThreadState& state, const Cell& cell, uint32_t offset);
  static uint8_t mask_of(uint32_t offset, uint32_t size) {
    return static_cast<uint8_t>(((1u << size) - 1) << offset);
  }
  void report(const Node& node, uint32_t slot, uintptr_t granule, uint8_t mask, uint8_t kind,
              uintptr_t pc, uint32_t context);
  bool take_back_in(uint32_t slot, uintptr_t granule, uintptr_t pc, Access& into);
  uint32_t new_node();
  void free_node(uint32_t index) {
    if (index == 0) return;
    nodes_[index].next = free_node_;
    free_node_ = index;
  }
  void drop(uint32_t* link);
  void drop_known(const ThreadState& state);
  void drop_known(const ThreadState& state, Cell& cell);
  void forget_page(uintptr_t from, uintptr_t to);

  bool active_ = false;
  bool looks_ = false;  // at accesses; only while active
  Detector* told_ = nullptr;
  Found found_ = nullptr;
  void* whom_ = nullptr;
  uint32_t run_ = 0;
  ThreadState* threads_ = nullptr;  // by slot
  uint32_t slots_used_ = 0;
  EngineVector<uint16_t> slot_of_;  // threads by index
  EngineVector<uint16_t> ended_;    // slots of threads that have ended
  Cell* cells_ = nullptr;
  Cell* last_ = nullptr;  // the one asked for last
  // Granules of the last access, if there are many others to them: see drop_known.
  uintptr_t long_ = 0, long_end_ = 0;
  uint32_t cells_used_ = 0;
  Node* nodes_ = nullptr;
  uint32_t nodes_used_ = 0, free_node_ = 0;
  Published* publisheds_ = nullptr;
  uint32_t publisheds_used_ = 0;
  Clock* clocks_ = nullptr;
  uint32_t clocks_used_ = 0;
  // The last run that had a cell in a page or region, by its low bits: most memory has none.
  uint32_t* pages_ = nullptr;
  uint32_t* regions_ = nullptr;
};

}  // namespace jostle::race
