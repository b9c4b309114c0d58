// SPDX-License-Identifier: Apache-2.0
// The events of one run, which of them touched each object, and which happened before which.
//
// Happens-before here is the order that all equivalent runs share: program order, enablers, and
// every pair of dependent events. It is not the order of the race detector: accesses to memory
// count whatever their memory order, synchronises-with does not.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"

namespace jostle::dpor {

struct RunEvent {
  Action action;  // its parts and choices are in pools: part(), choice()
  Footprint footprint;
  uint32_t ordinal;  // of its thread
  ChoicePath path;   // its choices
  uint32_t first_part, first_choice;
  uint32_t previous;       // event of the same thread, or kNone
  uint32_t taken_away_by;  // event, or kNone
  uint32_t missed_before;  // of one that was not executed: the event that followed; else kNone
};

class RunEvents {
 public:
  // A touch of an object by an event, linked from the latest to the earliest.
  struct Contact {
    uint32_t event;
    uint32_t part;
    Mode mode;
    uint32_t earlier;  // index of a contact, or kNone
    uint32_t unlike;   // likewise, see dependent_contact
  };

  void clear();
  void add(const Action& action, Footprint footprint, ChoicePath path);
  // An action that was not executed: the last event so far has taken it away from its thread, or
  // the thread waits in front of it.
  void add_missed(const Action& action, Footprint footprint, bool is_taken_away);

  uint32_t size() const { return executed_; }
  // With those that were missed, which follow the executed ones.
  uint32_t with_missed() const { return static_cast<uint32_t>(events_.size()); }
  const RunEvent& operator[](uint32_t event) const { return events_[event]; }
  const Part& part(const RunEvent& event, uint32_t i) const { return parts_[event.first_part + i]; }
  const Part* parts(const RunEvent& event) const { return parts_.begin() + event.first_part; }
  const Choice& choice(const RunEvent& event, uint32_t i) const {
    return choices_[event.first_choice + i];
  }
  const Choice* choices(const RunEvent& event) const {
    return choices_.begin() + event.first_choice;
  }
  uint32_t threads() const { return threads_; }

  // REQUIRES: all events have been added, not ordered before. Computes clocks and contacts.
  void order(const FootprintTable& footprints);
  // The rest is valid after that.

  const Contact& contact(uint32_t index) const { return contacts_[index]; }
  // The latest contact with an object by an executed event.
  uint32_t last_contact(uint32_t object) const { return last_contact_[object]; }
  // See footprint.h.
  uint32_t dependent_contact(uint32_t contact, Mode mode) const {
    return dpor::dependent_contact(contacts_, contact, mode);
  }
  // The latest contact with the i-th object of an executed event before that event.
  uint32_t contact_before(uint32_t event, uint32_t i) const {
    return contacts_[first_contact_[event] + i].earlier;
  }

  // Equal for runs that differ only in the order of independent events.
  uint64_t identity() const;

  // Did `early` happen before `late`, or is it the same? Both executed.
  bool ordered(uint32_t early, uint32_t late) const { return covers(clock(late), early); }
  // Clocks have one entry per thread: how many of its events are before.
  const uint32_t* clock(uint32_t event) const { return clocks_.begin() + size_t{event} * threads_; }
  bool covers(const uint32_t* clock, uint32_t event) const {
    return clock[events_[event].action.thread] > events_[event].ordinal;
  }
  void join(uint32_t* clock, uint32_t event) const;
  // What is before the event whatever its objects: program order and enablers.
  void start_clock(uint32_t event, uint32_t* clock) const;

 private:
  RunEvent make(const Action& action, Footprint footprint);
  void place(uint32_t event, const FootprintTable& footprints);

  EngineVector<RunEvent> events_;
  EngineVector<Part> parts_;
  EngineVector<Choice> choices_;
  uint32_t executed_ = 0;
  uint32_t threads_ = 0;
  EngineVector<uint32_t> thread_counts_;
  EngineVector<RunEvent> missed_;
  EngineVector<uint32_t> last_of_;  // thread
  EngineVector<Contact> contacts_;
  EngineVector<uint32_t> first_contact_;  // event
  EngineVector<uint32_t> last_contact_;   // object
  EngineVector<uint32_t> clocks_;
};

}  // namespace jostle::dpor
