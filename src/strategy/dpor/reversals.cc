// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/reversals.h"

namespace jostle::dpor {

namespace {

// How an event changes the number of holders of a lock.
int holders_added(const Part& part) {
  if (part.act == Act::unlock || part.act == Act::unshare) return -1;
  return takes_lock(part.act) && part.took_effect ? 1 : 0;
}

}  // namespace

void Reversals::find(const RunEvents& events, EngineVector<EventPair>& races) {
  races.clear();
  for (uint32_t second = 0; second < events.with_missed(); ++second) {
    find_before(events, second, races);
  }
}

void Reversals::find_before(const RunEvents& events, uint32_t second,
                            EngineVector<EventPair>& races) {
  const RunEvent& later = events[second];
  const Touch* touches = footprints_->touches(later.footprint);
  const uint32_t count = later.action.part_count;
  if (count == 0) return;
  bool has_condition = later.taken_away_by != kNone;
  bool is_transfer = false;
  cursors_.clear();
  for (uint32_t i = 0; i < count; ++i) {
    has_condition |= blocks(events.part(later, i).act);
    is_transfer |= events.part(later, i).act == Act::transfer;
    const uint32_t last = second < events.size() ? events.contact_before(second, i)
                                                 : events.last_contact(touches[i].object);
    cursors_.push_back(events.dependent_contact(last, touches[i].mode));
  }
  clock_.resize(events.threads());
  events.start_clock(second, clock_.begin());
  while (true) {
    uint32_t latest = kNone;
    for (uint32_t i = 0; i < count; ++i) {
      if (cursors_[i] == kNone) continue;
      if (latest == kNone ||
          events.contact(cursors_[i]).event > events.contact(cursors_[latest]).event)
        latest = i;
    }
    if (latest == kNone) return;
    const RunEvents::Contact& contact = events.contact(cursors_[latest]);
    cursors_[latest] = events.dependent_contact(contact.earlier, touches[latest].mode);
    // Another part of it touches the same object, or the thread did not wait for it any more.
    if (contact.event == second || contact.event >= later.missed_before) continue;
    bool is_before = events.covers(clock_.begin(), contact.event);
    if (!is_before) {
      const EventPair race = {contact.event, second};
      if (!has_condition || select(events, race)) {
        races.push_back(race);
        // Where a transfer can go on is tried everywhere.
        is_before = !is_transfer;
        if (is_before) events.join(clock_.begin(), contact.event);
      }
    }
    // What touched the object before a write happened before it.
    if (is_before && contact.mode == Mode::write) cursors_[latest] = kNone;
  }
}

void Reversals::select_independent(const RunEvents& events, const EventPair& race) {
  selected_.resize(events.size());
  for (uint32_t event = race.first; event < events.size(); ++event) {
    selected_[event] = event != race.second && !events.ordered(race.first, event);
  }
}

bool Reversals::select(const RunEvents& events, const EventPair& race) {
  const RunEvent& second = events[race.second];
  if (second.taken_away_by != kNone &&
      (second.taken_away_by < race.first || !events.ordered(race.first, second.taken_away_by))) {
    return false;
  }
  select_independent(events, race);
  if (is_enabled(events, race)) return true;
  start_.resize(events.threads());
  events.start_clock(race.second, start_.begin());
  bool is_smaller = false;
  for (uint32_t i = 0; i < second.action.part_count; ++i) {
    if (!blocks(events.part(second, i).act)) continue;
    const uint32_t object = footprints_->touches(second.footprint)[i].object;
    while (leave_out_holder(events, race, object)) is_smaller = true;
  }
  return is_smaller && is_enabled(events, race);
}

bool Reversals::leave_out_holder(const RunEvents& events, const EventPair& race, uint32_t object) {
  // From the latest to the earliest: who has released the lock by the end of v.
  balance_.clear();
  balance_.resize(events.threads());
  for (uint32_t c = events.last_contact(object); c != kNone; c = events.contact(c).earlier) {
    const uint32_t holder = events.contact(c).event;
    if (holder <= race.first) return false;
    if (!selected_[holder]) continue;
    const RunEvent& event = events[holder];
    int32_t& balance = balance_[event.action.thread];
    balance += holders_added(events.part(event, events.contact(c).part));
    if (balance <= 0) continue;
    if (events.covers(start_.begin(), holder)) return false;
    for (uint32_t after = holder; after < events.size(); ++after) {
      if (events.ordered(holder, after)) selected_[after] = 0;
    }
    return true;
  }
  return false;
}

void Reversals::follow(const RunEvents& events, const EventPair& race, uint32_t i) {
  const RunEvent& second = events[race.second];
  history_.clear();
  uint32_t contact = events.last_contact(footprints_->touches(second.footprint)[i].object);
  for (; contact != kNone; contact = events.contact(contact).earlier) history_.push_back(contact);
  if (history_.empty()) return state_.start(events.part(second, i).before);
  const RunEvents::Contact& earliest = events.contact(history_.back());
  state_.start(events.part(events[earliest.event], earliest.part).before);
  for (size_t at = history_.size(); at > 0; --at) {
    const RunEvents::Contact& touch = events.contact(history_[at - 1]);
    if (touch.event >= race.first && !selected_[touch.event]) continue;
    const RunEvent& event = events[touch.event];
    state_.apply(events.part(event, touch.part), event.action.thread);
  }
}

bool Reversals::is_enabled(const RunEvents& events, const EventPair& race) {
  const RunEvent& second = events[race.second];
  for (uint32_t i = 0; i < second.action.part_count; ++i) {
    const Part& part = events.part(second, i);
    if (!blocks(part.act)) continue;
    follow(events, race, i);
    if (!state_.admits(part, conditions_)) return false;
  }
  return true;
}

Step Reversals::step_of_second(const RunEvents& events, const EventPair& race) {
  const RunEvent& second = events[race.second];
  bool is_changed = false;
  ChoicePath path = second.path;
  // What memory offers there is not known: whatever comes first, and then all.
  for (uint32_t i = 0; i < second.action.choice_count; ++i) {
    if (!events.choice(second, i).is_of_memory) continue;
    path = paths_->beginning(path, i);
    break;
  }
  parts_.clear();
  for (uint32_t i = 0; i < second.action.part_count; ++i) {
    parts_.push_back(events.part(second, i));
    Part& part = parts_.back();
    if (!may_fail(part.act)) continue;
    follow(events, race, i);
    const bool takes_effect = state_.takes_effect(part);
    is_changed |= takes_effect != part.took_effect;
    part.took_effect = takes_effect;
    if (part.act == Act::signal) path = path_to(static_cast<Thread>(part.operand));
    // Who is woken first, of more or fewer than there were: all of that is to be tried.
    if (part.act == Act::broadcast && is_changed_queue(events, second)) path = kNoChoice;
  }
  const Footprint footprint =
      is_changed ? footprints_->of(parts_.begin(), second.action.part_count) : second.footprint;
  const bool is_uncertain = parts_.begin() != parts_.end() && may_block(parts_[0].act);
  return {second.action.thread, path, footprint, is_uncertain};
}

bool Reversals::is_changed_queue(const RunEvents& events, const RunEvent& event) const {
  return event.action.choice_count != 0 &&
         events.choice(event, 0).alternatives != state_.waiters().size();
}

// A signal wakes the same thread if that waits there, else the first.
ChoicePath Reversals::path_to(Thread woken) {
  const auto count = static_cast<uint32_t>(state_.waiters().size());
  if (count < 2) return kNoChoice;
  uint32_t taken = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (state_.waiters()[i] == woken) taken = i;
  }
  return paths_->extended(kNoChoice, taken, count);
}

void Reversals::sequence(const RunEvents& events, const EventPair& race, EngineVector<Step>& to) {
  to.clear();
  select(events, race);
  for (uint32_t event = race.first + 1; event < events.size(); ++event) {
    if (!selected_[event]) continue;
    const RunEvent& taken = events[event];
    to.push_back({taken.action.thread, taken.path, taken.footprint});
  }
  to.push_back(step_of_second(events, race));
}

}  // namespace jostle::dpor
