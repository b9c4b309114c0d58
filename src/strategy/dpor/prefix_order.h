// SPDX-License-Identifier: Apache-2.0
// The happens-before of a run as far as it has come: which execution it is the beginning of, and
// which objects threads have met at.
//
// The same order as that of RunEvents, kept up event by event.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"

namespace jostle::dpor {

class PrefixOrder {
 public:
  explicit PrefixOrder(const FootprintTable* footprints) : footprints_(footprints) {}

  // A new run. What is known of objects stays.
  void begin_run();
  // An event has been executed, with these choices.
  void add(const Action& action, Footprint footprint, ChoicePath path);
  // A thread waits in front of this action, or would have done it but for the last event.
  void add_missed(const Action& action, Footprint footprint);

  uint32_t size() const { return static_cast<uint32_t>(events_.size()); }
  // Equal for beginnings that differ only in the order of independent events.
  uint64_t identity() const { return identity_; }

  // Is the event before whatever `next`, which is about to be executed, will do, because of what
  // its thread has done so far and of what enables it?
  bool precedes(uint32_t event, const Action& next);

  // Has an action depended on one of another thread because of one of these objects, and only
  // because of that: in any run so far?
  bool is_contended(Footprint footprint) const;
  // There were more of them in this run than before.
  bool has_learned() const { return has_learned_; }

  void clear();

 private:
  struct Event {
    Thread thread;
    uint32_t ordinal;
  };
  struct Contact {
    uint32_t event;
    Mode mode;
    uint32_t earlier;  // index of a contact, or kNone
    uint32_t unlike;   // likewise, see dependent_contact
  };

  void make_room_for(Thread thread);
  uint32_t* clock(uint32_t event) { return clocks_.begin() + size_t{event} * stride_; }
  bool covers(const uint32_t* clock, uint32_t event) const {
    return clock[events_[event].thread] > events_[event].ordinal;
  }
  void join(uint32_t* to, uint32_t event);
  // What is before the action whatever its objects.
  void start_clock(const Action& action, uint32_t* to);
  // Joins what is before it because of its objects, and notes where others were met.
  void meet(Footprint footprint, uint32_t* to);

  const FootprintTable* footprints_;
  EngineVector<Event> events_;
  EngineVector<uint32_t> last_of_;  // by thread: event, or kNone
  EngineVector<uint32_t> counts_;   // by thread
  EngineVector<uint32_t> clocks_;   // stride_ each
  uint32_t stride_ = 0;             // at least the number of threads
  EngineVector<uint32_t> start_;
  EngineVector<Contact> contacts_;
  EngineVector<uint32_t> last_contact_;  // by object
  EngineVector<uint8_t> contended_;      // by object
  uint64_t identity_ = 0;
  bool has_learned_ = false;
};

}  // namespace jostle::dpor
