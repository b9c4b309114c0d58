// The reads and writes that runs of a campaign have shown, by location and by place in the program:
// what constraints on reads-from are made of. Lies in memory that forked runs share.
//
// Constraints are drawn by place first: a thousand objects that are read at one place are one thing
// to try, not a thousand. At a place, what a read has never observed is tried first, but not for
// ever: much of it is impossible.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/schedule/hub.h"
#include "src/strategy/critical_sections.h"
#include "src/strategy/strategy.h"

namespace jostle {

class EventRegistry {
 public:
  EventRegistry();

  void begin_run() { sections_.clear(); }
  void note(const Event& event, bool writes);
  // The read has observed the write for the first time.
  void note_pair(uint64_t write, uint64_t read);
  // The code at these two places was seen to race: what is read of the memory matters most.
  void note_race(uint64_t a, uint64_t b);
  // Something to try on a location that several threads touch. False when there is none yet.
  bool draw(Rng& rng, Constraint& constraint);

  struct Known {
    uint64_t event;
    uint64_t name, site, thread;
    uintptr_t object, pc;
    uint64_t
        entry;  // the event that led into the critical section that it was last seen in; 0: none
    uint32_t location;
    uint32_t next;       // of the same location and kind; 0: none
    uint32_t next_open;  // read of the same place; 0: none
    uint32_t tried;      // how often something that it has never observed was tried
    OpKind kind;
    bool writes;
    bool many_threads;
    bool open;  // a read that could observe another thread's write
  };
  // The events that lead into the critical sections of what a constraint is about; 0: none, or one
  // that leads to several of them, which tells nothing.
  struct Entries {
    static constexpr uint32_t kMostOthers = 4;
    uint64_t read, write;
    uint32_t other_count;
    uint64_t others[kMostOthers];  // of other writes of the location

    bool leads_to_other(uint64_t entry) const {
      for (uint32_t i = 0; i < other_count; ++i) {
        if (others[i] == entry) return true;
      }
      return false;
    }
  };
  Entries entries_of(const Constraint& constraint) const;

  // The thread that the event belongs to; 0: several do it, or it is not known.
  uint64_t thread_of(uint64_t event) const {
    const Known* known = find(event);
    return known && !known->many_threads ? known->thread : 0;
  }

  // Null when it is not known.
  const Known* find(uint64_t event) const;

 private:
  static constexpr uint32_t kMostEvents = 1 << 13;
  static constexpr uint32_t kMostLocations = 1 << 12;
  static constexpr uint32_t kMostPlaces = 1 << 11;
  static constexpr uint32_t kMostRaces = 1 << 8;
  static constexpr uint32_t kSlots = 1 << 15;

  struct Location {
    uint64_t name;
    uint32_t first_write, first_read;
    uint32_t writes;
    bool concurrent;  // who comes first there is not always decided
    bool raced;
  };
  struct Place {  // with reads that could observe another thread's write
    uint64_t site;
    uint32_t first, count;
  };
  struct Tables {
    uint32_t event_count, location_count, place_count, pair_count, race_count;
    uint32_t races[kMostRaces];  // locations
    Known events[kMostEvents];   // 0 is none
    Location locations[kMostLocations];
    Place places[kMostPlaces];
    uint32_t event_slots[kSlots];     // by hash
    uint32_t location_slots[kSlots];  // index + 1
    uint64_t pairs[kSlots];           // that have been observed, by hash
  };

  Known* find_event(uint64_t event) const;
  uint32_t location_of(uint64_t name);
  void add(const Event& event, bool writes, uint64_t hash, uint64_t entry, uint32_t slot);
  void look_again(uint32_t location);
  void open(uint32_t read);
  bool draw_raced(Rng& rng, Constraint& constraint);
  Place* place_of(uint64_t site);
  // True when the pair is there already.
  bool find_pair(uint64_t write, uint64_t read, bool add) const;
  // Could the read observe the write, as far as one can tell?
  bool is_possible(const Known& write, const Known& read) const;
  // Those writes of its location that the read could observe, in `choices_`; the value before all
  // writes is the first.
  void collect_choices(const Known& read);
  // One of `choices_` that the read has observed, or one that it has not; false: there is none.
  bool choose_write(Rng& rng, uint64_t read, bool observed, Constraint& constraint) const;

  Tables* tables_;
  CriticalSections sections_;
  EngineVector<uint64_t> choices_;
};

}  // namespace jostle
