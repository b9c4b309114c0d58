// SPDX-License-Identifier: Apache-2.0
// Notes the reads and writes that runs show: what constraints on reads-from are made of.
#pragma once

#include <cstdint>

#include "src/schedule/hub.h"
#include "src/strategy/rff/critical_sections.h"
#include "src/strategy/rff/event_tables.h"
#include "src/strategy/strategy.h"

namespace jostle {

class EventRegistry {
 public:
  EventRegistry();

  void begin_run() {
    sections_.clear();
    ++tables_->run;
  }
  void note(const Event& event, bool writes);
  // The read has observed the write for the first time.
  void note_pair(uint64_t write, uint64_t read) { tables_->observed.add(write, read); }
  // The code at these two places was seen to race: what is read of the memory matters most.
  void note_race(uint64_t a, uint64_t b);

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

  // The paths of the threads that do it.
  static constexpr uint64_t kNobody = KnownEvent::kNobody;
  struct Threads {
    uint64_t first = kNobody, second = kNobody;
  };
  Threads threads_of(uint64_t event) const {
    const KnownEvent* known = find(event);
    return known ? Threads{known->thread, known->other_thread} : Threads{};
  }

  // Does the thread, by its path, hold a lock?
  bool is_inside(uint64_t thread) const { return sections_.number_of(thread) != 0; }

  // Null when it is not known.
  const KnownEvent* find(uint64_t event) const;
  EventTables& tables() { return *tables_; }

 private:
  using Location = EventTables::Location;
  using Place = EventTables::Place;

  uint32_t location_of(uint64_t name);
  uint32_t add(const Event& event, bool writes, uint64_t hash, uint64_t entry, uint32_t slot);
  void follow(uint32_t index, const Event& event);
  void note_again(uint32_t index, Again& where, Again again);
  void note_raced(uint32_t location);
  void look_again(uint32_t location);
  void open(uint32_t read);
  Place* place_of(uint64_t site);

  EventTables* tables_;
  CriticalSections sections_;
};

}  // namespace jostle
