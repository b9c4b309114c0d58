// SPDX-License-Identifier: Apache-2.0
// Which store may an atomic load read? C++20's memory model, as an operational one: the stores to a
// location form a total modification order, a load reads one of those that are not older than what
// its thread knows of, and a store may come before stores that its thread does not know of.
//
//   coherence       who has read or written a store is noted in it, with its own time. A thread
//                   knows the stores that somebody has seen whose time it has heard of; the newest
//                   of these is its *floor*: nothing older is read, nothing is stored before it.
//   atomicity       a read-modify-write stands directly behind the store that it has read.
//   happens-before  the vector clocks of the race detector. A store carries what its thread
//                   publishes by it, a read-modify-write also what the store that it read carries
//                   (release sequences as of C++20).
//   seq_cst         operations execute in the order of the run. Each raises the floor of all later
//                   sequentially consistent ones; a fence, at all locations, to what its thread
//                   knows, and its thread's to that of the others. No fence makes happens-before.
//
// Every execution is consistent by RC11. Left out, of what C++ allows: load buffering (a load that
// reads a store which comes after it in program order or by others' reads), and a few outcomes of
// mixtures with seq_cst (tests/unit/litmus_table.h names them).
//
// Pure: it says which alternatives there are and learns which one the caller took. Alternative 0 is
// always the newest store, or the place behind it: with nothing else chosen, executions are
// sequentially consistent. No allocation after the first run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/runtime/race/detector.h"
#include "src/runtime/weak/history.h"

namespace jostle::weak {

// What a memory order asks for.
struct Strength {
  race::Order order = race::kRelaxed;
  bool sequential = false;
};

// Positions in a history from which one is chosen; the first is the newest.
struct Alternatives {
  uint32_t count = 0;
  uint8_t position[kLongestHistory];

  void add(uint32_t at) { position[count++] = static_cast<uint8_t>(at); }
};

// What a run has left out of what the model allows: everything that is said of all executions is
// off then.
enum class Cut : uint8_t {
  none,
  histories,  // stores that somebody could have read were forgotten
  sizes,      // accesses of different or large sizes: only the newest store is read
  unseen,     // something was stored, or published, that was not seen
  room,
};

class WeakMemory {
 public:
  // A new run, in which so many stores of a location are kept. Of the detector only the clocks of
  // threads are used: it has begun its run.
  void begin_run(race::Detector& detector, uint32_t longest_history = kUsualHistory);
  void stop() { active_ = false; }
  // Also off when there is no room for clocks any more: then nothing that follows could be trusted.
  bool active() const { return active_ && detector_->active(); }

  // The history of a location, in which memory holds `value` now; one that is new begins with it.
  // Null: there is no room for another location.
  History* find(uintptr_t address, uint32_t size, uint64_t value);
  // For an access of more than 8 bytes: of the granule at `address`, from now on as a whole.
  History* find_whole(uintptr_t address);

  // What may be read, where a store may be placed, what may be read by a read-modify-write, and by
  // a compare-exchange that finds `expected` or something else. Never none.
  Alternatives readable(uint32_t thread, const History& history, Strength strength);
  Alternatives places(uint32_t thread, const History& history, Strength strength);
  Alternatives modifiable(uint32_t thread, const History& history, Strength strength);
  Alternatives comparable(uint32_t thread, const History& history, uint64_t expected,
                          Strength success, Strength failure);

  // The thread reads the store at `position`.
  const Store& read(uint32_t thread, History& history, uint32_t position, Strength strength);
  // It stores at `position`; true: that is the newest, and belongs into memory.
  bool write(uint32_t thread, History& history, uint32_t position, uint64_t value,
             Strength strength, const Origin& origin = {});
  // It reads the store at `position` and stores behind it; as above.
  bool modify(uint32_t thread, History& history, uint32_t position, uint64_t value,
              Strength strength, const Origin& origin = {});
  void fence(uint32_t thread, Strength strength);

  // For who explores all executions (strategy/dpor/): what depends on the order of operations.
  // The last `read` has changed what later sequentially consistent operations may read.
  bool has_raised() const { return has_raised_; }
  // Only alternatives that do not come before the store that was made last: with another one the
  // operation might as well have been executed before that store.
  static void leave_out_before_latest(const History& history, Alternatives& all, bool is_place);
  Cut cut() const { return active() ? cut_ : Cut::room; }
  void note_cut(Cut why) {
    if (cut_ == Cut::none) cut_ = why;
  }

  // Memory that was written by other means, or is somebody else's now.
  void forget(uintptr_t begin, size_t size);

 private:
  struct Cell {
    uintptr_t key;  // address / 8
    uint32_t run;
    uint32_t first;  // history; 0: none
  };

  Cell* cell_of(uintptr_t address, bool make);
  History* new_history(Cell& cell);
  void release(uint32_t index);
  void begin_with(History& history, uint64_t value);
  void restart(History& history, uint64_t value);
  History* merge(Cell& cell);
  void forget_in_granule(uintptr_t granule, uint8_t mask);

  uint32_t floor_of(uint32_t thread, const History& history);
  uint32_t floor_of(uint32_t thread, const History& history, Strength strength);
  void see(uint32_t thread, Store& store);
  bool room_for_all_slots(Store& store);
  void note_if_forgotten(uint32_t thread, const History& history, uint32_t floor);
  void publish(Store& store, const Clock* clocks, uint32_t count);
  Store& place(uint32_t thread, History& history, uint32_t& position, uint64_t value,
               const Origin& origin);

  bool active_ = false;
  bool has_raised_ = false;
  Cut cut_ = Cut::none;
  uint32_t longest_ = kUsualHistory;
  race::Detector* detector_ = nullptr;
  uint32_t run_ = 0;
  uint32_t serial_ = 0;
  Cell* cells_ = nullptr;
  uint32_t cells_used_ = 0;
  History* histories_ = nullptr;
  uint32_t histories_used_ = 0, free_history_ = 0, living_ = 0;
  Clock* clocks_ = nullptr;
  uint32_t clocks_used_ = 0;
  uint32_t* pages_ = nullptr;  // the last run that had a cell in a page, by its low bits
};

}  // namespace jostle::weak
