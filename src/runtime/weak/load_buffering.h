// SPDX-License-Identifier: Apache-2.0
// Which loads could read a store that comes after them? The model of weak_memory.h never executes a
// load late, but C++ lets relaxed ones be (load buffering: r = x; y = 1 beside s = y; x = 1 may end
// with r == s == 1). Who weakens an order has to know whether that begins to matter.
//
// A store S could be read by an earlier load R of another thread when
//   - R comes before S by program order, by what was read from whom, and by synchronisation: else
//     S could be executed before R anyway, and the model has that;
//   - R does not happen before S: else it is forbidden;
//   - no store that R happens before precedes S in the modification order: else coherence forbids
//     it.
// The first relation needs clocks of its own: a second detector, which learns of all
// synchronisation what the first one does, and for which every store releases and every load
// acquires.
//
// Whether the value of S depends on R is not known here: values out of thin air, which no
// implementation has, count, too. So what is found may be impossible, and what is not found is
// impossible.
#pragma once

#include <cstdint>

#include "src/runtime/race/detector.h"
#include "src/runtime/weak/history.h"

namespace jostle::weak {

class LoadBuffering {
 public:
  // The detector has begun a run of one thread; from now on it tells what synchronises.
  void begin_run(race::Detector& happens_before, uint32_t thread);
  bool active() const { return active_ && causes_.active(); }
  // Loads of this run were forgotten: there were too many.
  bool is_full() const { return used_ == kMostLoads; }

  // `site`: the caller's, given back with the answer.
  void loaded(uint32_t thread, uintptr_t address, const Store& store, uint64_t site);
  // The store that was made last, at its place. Tells `found` the sites of loads that could have
  // read it.
  template <typename Found>
  void stored(uint32_t thread, uintptr_t address, const History& history, Found found) {
    const uint32_t place = place_of(history, history.latest);
    for (uint32_t i = first(address); i != 0; i = loads_[i].next) {
      if (loads_[i].address == address && could_read(loads_[i], thread, history, place)) {
        found(loads_[i].site);
      }
    }
    causes_.release(thread, name_of(history.latest));
  }

 private:
  static constexpr uint32_t kMostLoads = 1 << 14;
  static constexpr uint32_t kBuckets = 1 << 10;

  struct Load {
    uintptr_t address;
    uint64_t site;
    uint32_t next;  // of the same bucket; 0: none
    uint32_t thread;
    uint32_t slot, cause_slot;
    Clock time, cause_time;
    uint32_t followed_by;  // serial of a store that the load happens before; 0: none yet
  };
  struct Bucket {
    uint32_t run, first;
  };

  static uint32_t place_of(const History& history, uint32_t serial);
  // A synchronisation object for each store: no address.
  static uintptr_t name_of(uint32_t serial) { return (uintptr_t{1} << 62) + serial * uintptr_t{8}; }
  Bucket& bucket(uintptr_t address) { return buckets_[(address >> 2) % kBuckets]; }
  uint32_t first(uintptr_t address) {
    const Bucket& found = bucket(address);
    return found.run == run_ ? found.first : 0;
  }
  bool could_read(Load& load, uint32_t thread, const History& history, uint32_t place);

  bool active_ = false;
  race::Detector* happens_before_ = nullptr;
  race::Detector causes_;
  uint32_t run_ = 0;
  Load* loads_ = nullptr;
  uint32_t used_ = 0;
  Bucket* buckets_ = nullptr;
};

}  // namespace jostle::weak
