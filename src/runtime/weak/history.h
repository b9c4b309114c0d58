// SPDX-License-Identifier: Apache-2.0
// The stores to one atomic location, in their modification order: the oldest that somebody may
// still read first, the newest (what real memory holds) last.
#pragma once

#include <cstdint>

#include "src/base/check.h"
#include "src/runtime/race/detector.h"

namespace jostle::weak {

using race::Clock;

// Older stores are forgotten: fewer behaviours are seen then, never wrong ones.
inline constexpr uint32_t kUsualHistory = 8;
// … and so many are kept for who wants to see all.
inline constexpr uint32_t kLongestHistory = 24;
// Threads that came to know of a store by reading it, without having heard of it from another.
inline constexpr uint32_t kMostSeers = 6;
inline constexpr uint32_t kNobody = UINT32_MAX;

// A thread has read or written the store, at this time of its own.
struct Seer {
  uint32_t slot;
  Clock time;
};

// Who stored, for reports; the model does not look at it.
struct Origin {
  uint32_t thread = kNobody;  // kNobody: the value that was there before
  uint64_t event = 0;
  uintptr_t pc = 0;
  int order = 0;      // __ATOMIC_…
  uint32_t step = 0;  // of the run's trail, if it has one (schedule/action_trail.h)
  uint64_t name = 0;  // the same in every run; 0: the value that was there before
};

struct Store {
  uint64_t value;
  Origin origin;
  uint32_t serial;  // no other store of the run has it
  // What who acquires it gets: so many entries of the clocks there. 0: nothing.
  uint32_t clocks;
  uint16_t capacity;
  uint16_t published;
  uint8_t seers;
  bool known_to_all;  // nobody may read an older one
  bool modifies;      // a read-modify-write of the store before it: nothing comes between
  bool sequential;    // sequentially consistent operations read nothing older
  Seer seen[kMostSeers];
};

struct History {
  uint32_t next;   // of the same granule; 0: none
  uint8_t offset;  // in its granule
  uint8_t size;    // bytes
  bool in_use;
  bool whole;  // accesses of different sizes: all of the granule, of which only the newest is kept
  bool has_dropped;  // stores that were older than those that are kept
  uint8_t count;
  uint32_t latest;  // serial of the store that was made last, wherever it was placed
  uint8_t
      order[kLongestHistory];  // places in `stores`, the oldest first; behind `count`: unused ones
  Store stores[kLongestHistory];

  Store& at(uint32_t position) {
    JOSTLE_CHECK_LT(position, count);
    return stores[order[position]];
  }
  const Store& at(uint32_t position) const {
    JOSTLE_CHECK_LT(position, count);
    return stores[order[position]];
  }
  uint32_t last() const { return count - 1u; }
  Store& newest() { return at(last()); }

  // Without any store. The clocks that the stores had before stay theirs.
  void clear() {
    count = 0;
    has_dropped = false;
    for (uint32_t i = 0; i < kLongestHistory; ++i) order[i] = static_cast<uint8_t>(i);
  }
  void drop_oldest() {
    const uint8_t freed = order[0];
    --count;
    for (uint32_t i = 0; i < count; ++i) order[i] = order[i + 1];
    order[count] = freed;
  }
  // An unused one becomes the store at `position`; those from there on move up. Not when full.
  Store& insert(uint32_t position) {
    JOSTLE_CHECK(count < kLongestHistory && position <= count);
    const uint8_t place = order[count];
    for (uint32_t i = count; i > position; --i) order[i] = order[i - 1];
    order[position] = place;
    ++count;
    return stores[place];
  }
  // Nothing may come between a read-modify-write and what it has read.
  bool is_taken(uint32_t position) const { return position < last() && at(position + 1).modifies; }
};

}  // namespace jostle::weak
