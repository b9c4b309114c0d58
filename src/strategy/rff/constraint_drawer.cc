// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/rff/constraint_drawer.h"

#include "src/base/check.h"
#include "src/schedule/operation.h"

namespace jostle {
namespace {

// So often something that a read has never observed is tried before it counts as impossible.
constexpr uint32_t kMostTries = 8;
// So many events at most are fresh.
constexpr uint32_t kFresh = 16;
// So many pairs of a write and a read are looked at to choose one of them.
constexpr uint32_t kMostLookedAt = 4096;
// A read that leads to a write is so much likelier the one that another write waits for: then both
// threads write what follows from the same old value.
constexpr uint64_t kLeadsToWrite = 8;

}  // namespace

bool ConstraintDrawer::draw(Rng& rng, bool first, Constraint& constraint) {
  if (tables_.place_count == 0) return false;
  if (first) {
    if (draw_between(rng, true, Again::read_twice, constraint) ||
        draw_between(rng, true, Again::read_and_written, constraint) ||
        draw_fresh(rng, constraint) || draw_raced(rng, constraint)) {
      return true;
    }
    return rng.below(2) == 0 && draw_any(rng, constraint);
  }
  const uint64_t luck = rng.below(4);
  if (luck == 0 && draw_fresh(rng, constraint)) return true;
  if (luck <= 2 && draw_between(rng, constraint)) return true;
  if (rng.below(4) != 0 && draw_raced(rng, constraint)) return true;
  return draw_any(rng, constraint);
}

bool ConstraintDrawer::draw_between(Rng& rng, Constraint& constraint) {
  if (tables_.changes == nothing_between_since_) return false;
  if (draw_between(rng, true, Again::read_twice, constraint) ||
      draw_between(rng, true, Again::read_and_written, constraint) ||
      draw_between(rng, true, Again::written_and_read, constraint) ||
      draw_between(rng, false, Again::read_twice, constraint)) {
    return true;
  }
  nothing_between_since_ = tables_.changes;
  return false;
}

// A write that comes between two accesses of another thread, as never before. What is never raced
// for is under a lock: nothing comes between there but outside of a critical section.
bool ConstraintDrawer::draw_between(Rng& rng, bool raced, Again again, Constraint& constraint) {
  const uint32_t count = tables_.again_count;
  if (count == 0) return false;
  const uint64_t start = rng.below(count);
  for (uint32_t n = 0; n < count && n < kMostLookedAt; ++n) {
    KnownEvent& second = tables_.events[tables_.again[(start + n) % count]];
    if (second.tried_in_between || tables_.locations[second.location].raced != raced) continue;
    if (second.outside < again && (!raced || second.inside < again)) continue;
    const bool is_inside = second.outside < again;
    if (!(second.writes ? draw_write_after(rng, second, constraint)
                        : draw_read_after(rng, second, is_inside, constraint))) {
      continue;
    }
    second.tried_in_between = true;
    return true;
  }
  return false;
}

bool ConstraintDrawer::draw_read_after(Rng& rng, const KnownEvent& second, bool is_inside,
                                       Constraint& constraint) const {
  if (!second.open) return false;
  const uint32_t lock = is_inside ? tables_.lock_of(second) : 0;
  uint64_t found = 0;
  for (uint32_t w = tables_.locations[second.location].first_write; w; w = tables_.events[w].next) {
    const KnownEvent& write = tables_.events[w];
    if (!EventTables::is_possible(write, second)) continue;
    if (lock && tables_.lock_of(write) == lock) continue;
    if (tables_.between.has(write.event, second.event)) continue;
    if (rng.below(++found) == 0) constraint = {second.name, write.event, second.event, false};
  }
  return found;
}

// The write waits until another thread has read what it is about to overwrite.
bool ConstraintDrawer::draw_write_after(Rng& rng, const KnownEvent& second,
                                        Constraint& constraint) const {
  if (tables_.between.has(0, second.event)) return false;
  uint64_t found = 0;
  for (uint32_t r = tables_.locations[second.location].first_read; r; r = tables_.events[r].next) {
    const KnownEvent& read = tables_.events[r];
    if (!read.open || !EventTables::is_possible(second, read)) continue;
    const uint64_t weight = read.leads_to_write ? kLeadsToWrite : 1;
    found += weight;
    if (rng.below(found) < weight) constraint = {second.name, second.event, read.event, true};
  }
  return found;
}

// A pair never observed, of which one was seen for the first time lately; whatever the object, not
// more than twice for two places.
bool ConstraintDrawer::draw_fresh(Rng& rng, Constraint& constraint) {
  const uint32_t oldest = tables_.event_count > kFresh ? tables_.event_count - kFresh : 1;
  for (uint32_t e = tables_.event_count; e-- > oldest;) {
    const KnownEvent& event = tables_.events[e];
    const Location& location = tables_.locations[event.location];
    if (!location.concurrent) continue;
    if (!event.writes && rng.below(2) == 0 && draw_start(event, constraint)) return true;
    for (uint32_t other = event.writes ? location.first_read : location.first_write; other;
         other = tables_.events[other].next) {
      const KnownEvent& write = event.writes ? event : tables_.events[other];
      const KnownEvent& read = event.writes ? tables_.events[other] : event;
      if (!EventTables::is_possible(write, read)) continue;
      if (tables_.observed.has(write.event, read.event)) continue;
      if (!tables_.fresh_tried.add(write.site + rng.below(2), read.site)) continue;
      constraint = {read.name, write.event, read.event, false};
      return true;
    }
  }
  return false;
}

// A read that has always come after a write, under a lock, is to come before all of them.
bool ConstraintDrawer::draw_start(const KnownEvent& read, Constraint& constraint) {
  if (!read.open || !read.entry || takes_mutex(read.kind)) return false;
  if (tables_.locations[read.location].raced) return false;
  const uint64_t start = initial_write(read.name);
  if (tables_.observed.has(start, read.event)) return false;
  if (!tables_.fresh_tried.add(0, read.site)) return false;
  constraint = {read.name, start, read.event, false};
  return true;
}

// All of it is tried once before any of it a second time; the values before all writes only then.
bool ConstraintDrawer::draw_raced(Rng& rng, Constraint& constraint) {
  if (!tables_.any_raced) return false;
  const bool negative = rng.below(2) == 0;
  const uint64_t start = rng.below(tables_.place_count);
  uint32_t looked_at = 0;
  for (const bool refused : {negative, !negative}) {
    for (uint32_t n = 0; n < tables_.place_count && looked_at < kMostLookedAt; ++n) {
      const Place& place = tables_.places[(start + n) % tables_.place_count];
      if (draw_raced_at(rng, place, refused, looked_at, constraint)) return true;
    }
  }
  begin_round();
  return false;
}

void ConstraintDrawer::begin_round() {
  ++tables_.round;
  tables_.tried.clear();
}

bool ConstraintDrawer::draw_raced_at(Rng& rng, const Place& place, bool negative,
                                     uint32_t& looked_at, Constraint& constraint) {
  uint64_t found = 0, written_at = 0;
  for (uint32_t r = place.first; r && looked_at < kMostLookedAt; r = tables_.events[r].next_open) {
    const KnownEvent& read = tables_.events[r];
    const Location& location = tables_.locations[read.location];
    if (!location.raced) continue;
    const auto consider = [&](uint64_t write, uint64_t site) {
      ++looked_at;
      if (tables_.observed.has(write, read.event) != negative) return;
      if (tables_.tried.has(site + negative, read.site) || rng.below(++found) != 0) return;
      constraint = {read.name, write, read.event, negative};
      written_at = site;
    };
    if (tables_.round > 0) consider(initial_write(read.name), 0);
    for (uint32_t w = location.first_write; w; w = tables_.events[w].next) {
      const KnownEvent& write = tables_.events[w];
      if (EventTables::is_possible(write, read)) consider(write.event, write.site);
    }
  }
  if (found) tables_.tried.add(written_at + negative, place.site);
  if (tables_.tried.is_full()) begin_round();
  return found;
}

bool ConstraintDrawer::draw_any(Rng& rng, Constraint& constraint) {
  const Place& place = tables_.places[rng.below(tables_.place_count)];
  uint32_t r = place.first;
  for (uint64_t n = rng.below(place.count); n > 0; --n) r = tables_.events[r].next_open;
  KnownEvent& read = tables_.events[r];
  JOSTLE_CHECK(r != 0 && read.open);
  collect_choices(read);
  constraint = {read.name, choices_[rng.below(choices_.size())], read.event, rng.below(2) == 0};
  if (read.tried >= kMostTries) return choose_write(rng, read.event, true, constraint);
  if (rng.below(4) == 0) return true;
  // What it has never observed: ask for it, or forbid what it has observed instead. To forbid that
  // a lock was given back would only make somebody keep it.
  if (takes_mutex(read.kind)) constraint.negative = false;
  if (choose_write(rng, read.event, constraint.negative, constraint)) ++read.tried;
  return true;
}

void ConstraintDrawer::collect_choices(const KnownEvent& read) {
  const Location& location = tables_.locations[read.location];
  choices_.clear();
  choices_.push_back(initial_write(location.name));
  for (uint32_t w = location.first_write; w; w = tables_.events[w].next) {
    const KnownEvent& write = tables_.events[w];
    JOSTLE_CHECK(write.writes && write.location == read.location);
    if (EventTables::is_possible(write, read)) choices_.push_back(write.event);
  }
}

bool ConstraintDrawer::choose_write(Rng& rng, uint64_t read, bool observed,
                                    Constraint& constraint) const {
  const uint64_t start = rng.below(choices_.size());
  for (size_t n = 0; n < choices_.size(); ++n) {
    const uint64_t write = choices_[(start + n) % choices_.size()];
    if (tables_.observed.has(write, read) != observed) continue;
    constraint.write = write;
    return true;
  }
  return false;
}

}  // namespace jostle
