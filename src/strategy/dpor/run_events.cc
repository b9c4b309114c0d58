// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/run_events.h"

#include "src/base/hash.h"

namespace jostle::dpor {

void RunEvents::clear() {
  events_.clear();
  parts_.clear();
  choices_.clear();
  executed_ = 0;
  threads_ = 0;
  last_of_.clear();
  missed_.clear();
  thread_counts_.clear();
}

RunEvent RunEvents::make(const Action& action, Footprint footprint) {
  const Thread thread = action.thread;
  if (thread >= threads_) {
    threads_ = thread + 1;
    thread_counts_.resize(threads_);
    while (last_of_.size() < threads_) last_of_.push_back(kNone);
  }
  const auto first_part = static_cast<uint32_t>(parts_.size());
  for (uint32_t i = 0; i < action.part_count; ++i) parts_.push_back(action.parts[i]);
  const auto first_choice = static_cast<uint32_t>(choices_.size());
  for (uint32_t i = 0; i < action.choice_count; ++i) choices_.push_back(action.choices[i]);
  RunEvent event = {action,           footprint,  thread_counts_[thread],
                    kNoChoice,        first_part, first_choice,
                    last_of_[thread], kNone,      kNone};
  event.action.parts = nullptr;
  event.action.choices = nullptr;
  return event;
}

void RunEvents::add(const Action& action, Footprint footprint, ChoicePath path) {
  RunEvent event = make(action, footprint);
  event.path = path;
  events_.push_back(event);
  last_of_[action.thread] = executed_++;
  ++thread_counts_[action.thread];
}

void RunEvents::add_missed(const Action& action, Footprint footprint, bool is_taken_away) {
  RunEvent event = make(action, footprint);
  if (is_taken_away) event.taken_away_by = executed_ - 1;
  event.missed_before = executed_;
  missed_.push_back(event);
}

void RunEvents::join(uint32_t* clock, uint32_t event) const {
  const uint32_t* other = this->clock(event);
  for (uint32_t t = 0; t < threads_; ++t) {
    if (other[t] > clock[t]) clock[t] = other[t];
  }
}

void RunEvents::start_clock(uint32_t event, uint32_t* clock) const {
  for (uint32_t t = 0; t < threads_; ++t) clock[t] = 0;
  const uint32_t first = events_[event].action.follows_first;
  for (uint32_t earlier = 0; earlier < first && earlier < event && earlier < executed_; ++earlier) {
    join(clock, earlier);
  }
  if (events_[event].previous != kNone) join(clock, events_[event].previous);
  if (events_[event].action.enabler != kNone) join(clock, events_[event].action.enabler);
}

void RunEvents::place(uint32_t event, const FootprintTable& footprints) {
  const RunEvent& added = events_[event];
  uint32_t* clock = clocks_.begin() + size_t{event} * threads_;
  start_clock(event, clock);
  const Touch* touches = footprints.touches(added.footprint);
  first_contact_.push_back(static_cast<uint32_t>(contacts_.size()));
  for (uint32_t i = 0; i < added.action.part_count; ++i) {
    uint32_t& last = last_contact_[touches[i].object];
    const Mode mode = touches[i].mode;
    const uint32_t unlike = dependent_contact(last, mode);
    for (uint32_t c = unlike; c != kNone; c = dependent_contact(contacts_[c].earlier, mode)) {
      join(clock, contacts_[c].event);
      // Everything before the last write happened before it.
      if (contacts_[c].mode == Mode::write) break;
    }
    contacts_.push_back({event, i, mode, last, unlike});
    last = static_cast<uint32_t>(contacts_.size()) - 1;
  }
  clock[added.action.thread] = added.ordinal + 1;
}

void RunEvents::order(const FootprintTable& footprints) {
  contacts_.clear();
  first_contact_.clear();
  last_contact_.clear();
  while (last_contact_.size() < footprints.object_count()) last_contact_.push_back(kNone);
  clocks_.resize(size_t{executed_} * threads_);
  for (uint32_t event = 0; event < executed_; ++event) place(event, footprints);
  for (const RunEvent& event : missed_) events_.push_back(event);
  missed_.clear();
}

uint64_t RunEvents::identity() const {
  uint64_t sum = 0;
  for (uint32_t event = 0; event < executed_; ++event) {
    uint64_t hash = combine(events_[event].action.thread, events_[event].path);
    for (uint32_t t = 0; t < threads_; ++t) hash = combine(hash, clock(event)[t]);
    sum += combine(7, hash);
  }
  return sum;
}

}  // namespace jostle::dpor
