#include "src/strategy/event_registry.h"

#include "src/base/engine_memory.h"

namespace jostle {
namespace {

bool by_different_threads(const EventRegistry::Known& write, const EventRegistry::Known& read) {
  return write.many_threads || read.many_threads || write.thread != read.thread;
}

}  // namespace

EventRegistry::EventRegistry()
    : tables_(static_cast<Tables*>(map_shared_engine_memory(sizeof(Tables)))) {
  if (tables_) tables_->event_count = 1;
}

void EventRegistry::note(const Event& event, bool writes) {
  if (!tables_ || event.name == 0) return;
  const uint64_t hash =
      writes ? write_event(event.name, event.site) : read_event(event.name, event.site);
  uint32_t slot = static_cast<uint32_t>(hash >> 40) % kSlots;
  for (; tables_->event_slots[slot] != 0; slot = (slot + 1) % kSlots) {
    Known& known = tables_->events[tables_->event_slots[slot]];
    if (known.event != hash) continue;
    Location& location = tables_->locations[known.location];
    const bool more_threads = !known.many_threads && known.thread != event.thread;
    const bool more_concurrent = event.concurrent && !location.concurrent;
    if (!more_threads && !more_concurrent) return;
    known.many_threads |= more_threads;
    location.concurrent |= more_concurrent;
    return look_again(known.location);
  }
  if (tables_->event_count < kMostEvents) add(event, writes, hash, slot);
}

void EventRegistry::add(const Event& event, bool writes, uint64_t hash, uint32_t slot) {
  const uint32_t at = location_of(event.name);
  if (at == kMostLocations) return;
  const uint32_t index = tables_->event_count++;
  Location& location = tables_->locations[at];
  uint32_t& first = writes ? location.first_write : location.first_read;
  tables_->events[index] = {.event = hash,
                            .name = event.name,
                            .site = event.site,
                            .thread = event.thread,
                            .object = event.object,
                            .pc = event.pc,
                            .location = at,
                            .next = first,
                            .next_open = 0,
                            .observed = 0,
                            .writes = writes,
                            .many_threads = false,
                            .open = false};
  first = index;
  location.writes += writes;
  location.concurrent |= event.concurrent;
  tables_->event_slots[slot] = index;
  look_again(at);
}

uint32_t EventRegistry::location_of(uint64_t name) {
  uint32_t slot = static_cast<uint32_t>(name >> 40) % kSlots;
  for (; tables_->location_slots[slot] != 0; slot = (slot + 1) % kSlots) {
    const uint32_t at = tables_->location_slots[slot] - 1;
    if (tables_->locations[at].name == name) return at;
  }
  if (tables_->location_count == kMostLocations) return kMostLocations;
  const uint32_t at = tables_->location_count++;
  tables_->locations[at].name = name;
  tables_->location_slots[slot] = at + 1;
  return at;
}

// Which reads of it could observe another thread's write now?
void EventRegistry::look_again(uint32_t at) {
  const Location& location = tables_->locations[at];
  if (!location.concurrent) return;
  for (uint32_t r = location.first_read; r; r = tables_->events[r].next) {
    for (uint32_t w = location.first_write; w && !tables_->events[r].open;
         w = tables_->events[w].next) {
      if (by_different_threads(tables_->events[w], tables_->events[r])) open(r);
    }
  }
}

void EventRegistry::open(uint32_t read) {
  Known& event = tables_->events[read];
  Place* place = place_of(event.site, true);
  if (!place) return;
  event.open = true;
  event.next_open = place->first;
  place->first = read;
  ++place->count;
}

EventRegistry::Place* EventRegistry::place_of(uint64_t site, bool make) {
  for (uint32_t i = 0; i < tables_->place_count; ++i) {
    if (tables_->places[i].site == site) return &tables_->places[i];
  }
  if (!make || tables_->place_count == kMostPlaces) return nullptr;
  Place& place = tables_->places[tables_->place_count++];
  place.site = site;
  return &place;
}

void EventRegistry::note_pair(uint64_t, uint64_t read) {
  Known* event = tables_ ? find_event(read) : nullptr;
  if (!event || ++event->observed != 2) return;
  Place* place = place_of(event->site, false);
  if (!place || place->varies) return;
  place->varies = true;
  tables_->varying[tables_->varying_count++] = static_cast<uint32_t>(place - tables_->places);
}

bool EventRegistry::draw(Rng& rng, Constraint& constraint) const {
  if (!tables_ || tables_->place_count == 0) return false;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const bool from_varying = tables_->varying_count && rng.below(4) != 0;
    const uint64_t which = from_varying ? tables_->varying[rng.below(tables_->varying_count)]
                                        : rng.below(tables_->place_count);
    const Place& place = tables_->places[which];
    uint32_t r = place.first;
    for (uint64_t n = rng.below(place.count); n > 0; --n) r = tables_->events[r].next_open;
    const Known& read = tables_->events[r];
    const Location& location = tables_->locations[read.location];
    // The value before all writes is one of them.
    uint64_t n = rng.below(location.writes + 1);
    uint64_t write = initial_write(location.name);
    if (n > 0) {
      uint32_t w = location.first_write;
      for (--n; n > 0; --n) w = tables_->events[w].next;
      if (!by_different_threads(tables_->events[w], read)) continue;
      write = tables_->events[w].event;
    }
    constraint = {location.name, write, read.event, rng.below(2) == 0};
    return true;
  }
  return false;
}

EventRegistry::Known* EventRegistry::find_event(uint64_t event) const {
  uint32_t slot = static_cast<uint32_t>(event >> 40) % kSlots;
  for (; tables_->event_slots[slot] != 0; slot = (slot + 1) % kSlots) {
    Known& known = tables_->events[tables_->event_slots[slot]];
    if (known.event == event) return &known;
  }
  return nullptr;
}

const EventRegistry::Known* EventRegistry::find(uint64_t event) const {
  return tables_ ? find_event(event) : nullptr;
}

}  // namespace jostle
