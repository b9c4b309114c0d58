// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/rff/event_registry.h"

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/probe.h"

namespace jostle {
namespace {

constexpr uint32_t kSlots = EventTables::kSlots;

bool is_atomic(OpKind kind) { return kind == OpKind::atomic_load || kind == OpKind::atomic_rmw; }

}  // namespace

EventRegistry::EventRegistry()
    : tables_(static_cast<EventTables*>(map_shared_engine_memory(sizeof(EventTables)))) {
  if (!tables_) tables_ = static_cast<EventTables*>(engine_allocate(sizeof(EventTables)));
  tables_->event_count = 1;
}

void EventRegistry::note(const Event& event, bool writes) {
  if (event.name == 0) return;
  const uint64_t entry = sections_.entry_of(event);
  if (entry && !writes && takes_lock(event.kind) && !event.alone) tables_->any_nested = true;
  if (!writes || !observes(event.kind)) sections_.note(event);
  const uint64_t hash =
      writes ? write_event(event.name, event.site) : read_event(event.name, event.site);
  const uint32_t slot = tables_->slot_of(hash);
  if (const uint32_t index = tables_->event_slots[slot]) {
    KnownEvent& known = tables_->events[index];
    known.entry = entry;
    follow(index, event);
    Location& location = tables_->locations[known.location];
    const bool more_threads = !known.many_threads() && known.thread != event.thread;
    const bool more_concurrent = event.concurrent && !location.concurrent;
    const bool in_company = known.alone && !event.alone;
    if (!more_threads && !more_concurrent && !in_company) return;
    known.alone &= event.alone;
    if (more_threads) known.other_thread = event.thread;
    location.concurrent |= more_concurrent;
    return look_again(known.location);
  }
  if (tables_->event_count == EventTables::kMostEvents) return;
  if (const uint32_t index = add(event, writes, hash, entry, slot)) follow(index, event);
}

// Has its thread been there before, and what came in between?
void EventRegistry::follow(uint32_t index, const Event& event) {
  KnownEvent& known = tables_->events[index];
  Location& location = tables_->locations[known.location];
  if (location.run != tables_->run) {
    location.run = tables_->run;
    location.threads = 0;
    location.last = 0;
  }
  const uint64_t bit = uint64_t{1} << (event.thread >> 58);
  const uint32_t section = sections_.number_of(event.thread);
  const KnownEvent& last = tables_->events[location.last];
  const bool undisturbed = location.last_thread == event.thread;
  if ((location.threads & bit) == 0) {
    // For the first time.
  } else if (known.writes && undisturbed && last.kind == OpKind::atomic_rmw &&
             last.site == event.site) {
    // Nothing comes between the two halves of one operation, but before it.
    if (last.inside == Again::read_twice) note_again(index, known.inside, Again::read_and_written);
    if (last.outside == Again::read_twice) {
      note_again(index, known.outside, Again::read_and_written);
    }
  } else if (undisturbed && (!known.writes || !last.writes)) {
    const Again again = last.writes    ? Again::written_and_read
                        : known.writes ? Again::read_and_written
                                       : Again::read_twice;
    const bool inside = section && location.section == section;
    note_again(index, inside ? known.inside : known.outside, again);
    if (known.writes) tables_->events[location.last].leads_to_write = true;
  } else if (!undisturbed && last.writes) {
    tables_->between.add(known.writes ? 0 : last.event, known.event);
  }
  location.last = index;
  location.threads |= bit;
  location.last_thread = event.thread;
  location.section = section;
}

void EventRegistry::note_again(uint32_t index, Again& where, Again again) {
  const KnownEvent& known = tables_->events[index];
  if (known.inside == Again::no && known.outside == Again::no) {
    JOSTLE_CHECK_LT(tables_->again_count, tables_->event_count);
    tables_->again[tables_->again_count++] = index;
  }
  if (again <= where) return;
  where = again;
  ++tables_->changes;
}

uint32_t EventRegistry::add(const Event& event, bool writes, uint64_t hash, uint64_t entry,
                            uint32_t slot) {
  const uint32_t at = location_of(event.name);
  if (at == EventTables::kMostLocations) return 0;
  const uint32_t index = tables_->event_count++;
  Location& location = tables_->locations[at];
  uint32_t& first = writes ? location.first_write : location.first_read;
  tables_->events[index] = {.event = hash,
                            .name = event.name,
                            .site = event.site,
                            .thread = event.thread,
                            .other_thread = kNobody,
                            .object = event.object,
                            .pc = event.pc,
                            .entry = entry,
                            .location = at,
                            .next = first,
                            .next_open = 0,
                            .tried = 0,
                            .kind = event.kind,
                            .writes = writes,
                            .alone = event.alone,
                            .open = false,
                            .leads_to_write = false,
                            .tried_in_between = false,
                            .inside = Again::no,
                            .outside = Again::no};
  JOSTLE_CHECK(index != 0 && index < EventTables::kMostEvents);
  first = index;
  ++tables_->changes;
  location.concurrent |= event.concurrent;
  tables_->event_slots[slot] = index;
  look_again(at);
  return index;
}

uint32_t EventRegistry::location_of(uint64_t name) {
  const uint64_t slot = probe(name >> 40, kSlots, [&](uint64_t i) {
    const uint32_t there = tables_->location_slots[i];
    return there == 0 || tables_->locations[there - 1].name == name;
  });
  if (const uint32_t there = tables_->location_slots[slot]) return there - 1;
  if (tables_->location_count == EventTables::kMostLocations) return EventTables::kMostLocations;
  const uint32_t at = tables_->location_count++;
  tables_->locations[at].name = name;
  tables_->location_slots[slot] = at + 1;
  JOSTLE_CHECK_LE(tables_->location_count, EventTables::kMostLocations);
  return at;
}

// Which reads of it could observe another thread's write now?
void EventRegistry::look_again(uint32_t at) {
  const Location& location = tables_->locations[at];
  if (!location.concurrent) return;
  for (uint32_t r = location.first_read; r; r = tables_->events[r].next) {
    for (uint32_t w = location.first_write; w && !tables_->events[r].open;
         w = tables_->events[w].next) {
      if (EventTables::by_different_threads(tables_->events[w], tables_->events[r])) open(r);
    }
  }
}

void EventRegistry::open(uint32_t read) {
  KnownEvent& event = tables_->events[read];
  JOSTLE_CHECK(!event.open && !event.writes);
  Place* place = place_of(event.site);
  if (!place) return;
  event.open = true;
  ++tables_->changes;
  if (is_atomic(event.kind)) note_raced(event.location);
  event.next_open = place->first;
  place->first = read;
  ++place->count;
}

EventRegistry::Place* EventRegistry::place_of(uint64_t site) {
  for (uint32_t i = 0; i < tables_->place_count; ++i) {
    if (tables_->places[i].site == site) return &tables_->places[i];
  }
  if (tables_->place_count == EventTables::kMostPlaces) return nullptr;
  Place& place = tables_->places[tables_->place_count++];
  place.site = site;
  return &place;
}

void EventRegistry::note_race(uint64_t a, uint64_t b) {
  for (uint32_t e = 1; e < tables_->event_count; ++e) {
    const KnownEvent& event = tables_->events[e];
    if (event.site == a || event.site == b) note_raced(event.location);
  }
}

void EventRegistry::note_raced(uint32_t location) {
  if (tables_->locations[location].raced) return;
  tables_->locations[location].raced = tables_->any_raced = true;
  ++tables_->changes;
}

EventRegistry::Entries EventRegistry::entries_of(const Constraint& constraint) const {
  Entries entries = {};
  const KnownEvent* read = find(constraint.read);
  const KnownEvent* write = find(constraint.write);
  if (read) entries.read = read->entry;
  if (write) entries.write = write->entry;
  if (read) {
    const Location& location = tables_->locations[read->location];
    for (uint32_t w = location.first_write; w; w = tables_->events[w].next) {
      const uint64_t entry = tables_->events[w].entry;
      if (!entry || entry == entries.read || entry == entries.write) continue;
      if (entry == constraint.read) continue;  // the lock itself
      if (entries.leads_to_other(entry) || entries.other_count == Entries::kMostOthers) continue;
      entries.others[entries.other_count++] = entry;
    }
  }
  if (entries.read == entries.write) entries.read = entries.write = 0;
  // Behind another lock than the write: nobody is kept out by waiting inside, right at the read.
  const KnownEvent* to_read = find(entries.read);
  const KnownEvent* to_write = find(entries.write);
  if (to_read && to_write && to_read->location != to_write->location) entries.read = 0;
  return entries;
}

const KnownEvent* EventRegistry::find(uint64_t event) const {
  const uint32_t index = tables_->event_slots[tables_->slot_of(event)];
  return index ? &tables_->events[index] : nullptr;
}

}  // namespace jostle
