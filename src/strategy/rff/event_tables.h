// SPDX-License-Identifier: Apache-2.0
// What a campaign has seen of the reads and writes of a program, by location and by place in it:
// plain tables, in memory that forked runs share. Written by EventRegistry, read by what makes
// constraints of it.
#pragma once

#include <cstdint>

#include "src/base/hash.h"
#include "src/base/probe.h"
#include "src/schedule/operation.h"

namespace jostle {

// A thread comes back to a location: may another one write there in between? What is read twice is
// likeliest meant to be one step, then what is read and written, then what is written and read.
enum class Again : uint8_t { no, written_and_read, read_and_written, read_twice };

constexpr bool takes_mutex(OpKind kind) {
  return kind == OpKind::mutex_lock || kind == OpKind::spin_lock;
}

// A set of pairs of numbers. All zero: empty.
template <uint32_t kSlots>
class PairSet {
 public:
  bool has(uint64_t a, uint64_t b) const { return pairs_[slot_of(a, b)] != 0; }
  // False when it is there already, or there is no room.
  bool add(uint64_t a, uint64_t b) {
    const uint32_t slot = slot_of(a, b);
    if (pairs_[slot] != 0 || is_full()) return false;
    used_[count_++] = slot;
    pairs_[slot] = hash_of(a, b);
    return true;
  }
  bool is_full() const { return count_ == kSlots / 4 * 3; }
  // Costs what is in it.
  void clear() {
    while (count_ > 0) pairs_[used_[--count_]] = 0;
  }

 private:
  static uint64_t hash_of(uint64_t a, uint64_t b) { return combine(a, b) | 1; }
  // Where the pair is, or an empty place for it.
  uint32_t slot_of(uint64_t a, uint64_t b) const {
    const uint64_t pair = hash_of(a, b);
    return static_cast<uint32_t>(
        probe(pair >> 40, kSlots, [&](uint64_t i) { return pairs_[i] == 0 || pairs_[i] == pair; }));
  }

  uint32_t count_;
  uint64_t pairs_[kSlots];  // by hash
  uint32_t used_[kSlots];   // places of those that are there, in the order of coming
};

struct KnownEvent {
  static constexpr uint64_t kNobody = UINT64_MAX;

  uint64_t event;
  uint64_t name, site;
  uint64_t thread, other_thread;  // the first two that did it, by path; kNobody: only one did
  uintptr_t object, pc;
  uint64_t entry;  // the event that led into its critical section, the last time; 0: none
  uint32_t location;
  uint32_t next;       // of the same location and kind; 0: none
  uint32_t next_open;  // read of the same place; 0: none
  uint32_t tried;      // how often something that it has never observed was tried
  OpKind kind;
  bool writes;
  bool alone;             // always: before there are other threads, or after they were joined
  bool open;              // a read that could observe another thread's write
  bool leads_to_write;    // a read whose thread wrote the location next
  bool tried_in_between;  // another thread's write between it and what its thread did before
  // Its thread had touched the location before, in the same critical section or outside of that.
  Again inside, outside;

  bool many_threads() const { return other_thread != kNobody; }
};

struct EventTables {
  static constexpr uint32_t kMostEvents = 1 << 13;
  static constexpr uint32_t kMostLocations = 1 << 12;
  static constexpr uint32_t kMostPlaces = 1 << 11;
  static constexpr uint32_t kSlots = 1 << 15;

  struct Location {
    uint64_t name;
    uint32_t first_write, first_read;
    bool concurrent;  // who comes first there is not always decided
    bool raced;       // used without a lock, or with atomic operations
    // In the run that is going on:
    uint32_t last;     // the last event
    uint32_t section;  // that it was in; 0: in none
    uint64_t run;
    uint64_t threads;  // that touched it, as bits of a hash
    uint64_t last_thread;
  };
  struct Place {  // with reads that could observe another thread's write
    uint64_t site;
    uint32_t first, count;
  };

  uint64_t run;
  uint64_t changes;  // grows with what is learned of events
  uint64_t round;    // of what is tried once before any of it a second time
  uint32_t event_count, location_count, place_count, again_count;
  bool any_raced;
  bool any_nested;                 // a lock was taken by a thread that held another
  KnownEvent events[kMostEvents];  // 0 is none
  Location locations[kMostLocations];
  Place places[kMostPlaces];
  uint32_t again[kMostEvents];      // events at locations that their thread had touched before
  uint32_t event_slots[kSlots];     // by hash
  uint32_t location_slots[kSlots];  // index + 1
  PairSet<kSlots> observed;         // a write and the read that observed it
  PairSet<kSlots> between;  // a write that came between an event and what its thread had done there
                            // before; 0 and a write: any write did
  PairSet<kSlots> fresh_tried;  // places of a write and a read
  PairSet<kSlots / 8> tried;    // in this round: places of a write and a read, and which way

  // Where the event is in `event_slots`, or the empty place for it.
  uint32_t slot_of(uint64_t event) const {
    return static_cast<uint32_t>(probe(event >> 40, kSlots, [&](uint64_t i) {
      return event_slots[i] == 0 || events[event_slots[i]].event == event;
    }));
  }

  // The lock of the outermost critical section that the event was in, as a location + 1; 0: none.
  uint32_t lock_of(const KnownEvent& event) const {
    if (!event.entry) return 0;
    const uint32_t entry = event_slots[slot_of(event.entry)];
    return entry ? events[entry].location + 1 : 0;
  }

  // Could the read observe the write, as far as one can tell? A lock is taken after it was given
  // back, or never before: not while somebody has it.
  static bool is_possible(const KnownEvent& write, const KnownEvent& read) {
    return !(takes_mutex(read.kind) && write.kind == read.kind) &&
           by_different_threads(write, read);
  }
  static bool by_different_threads(const KnownEvent& write, const KnownEvent& read) {
    if (write.alone || read.alone) return false;
    return write.many_threads() || read.many_threads() || write.thread != read.thread;
  }
};

}  // namespace jostle
