#include "src/strategy/event_registry.h"

#include "src/base/engine_memory.h"

namespace jostle {
namespace {

// So often something that a read has never observed is tried before it counts as impossible.
constexpr uint32_t kMostTries = 8;
// So many pairs of a write and a read are looked at to choose one of them.
constexpr uint32_t kMostLookedAt = 4096;

bool by_different_threads(const EventRegistry::Known& write, const EventRegistry::Known& read) {
  return write.many_threads || read.many_threads || write.thread != read.thread;
}

}  // namespace

EventRegistry::EventRegistry()
    : tables_(static_cast<Tables*>(map_shared_engine_memory(sizeof(Tables)))) {
  if (!tables_) tables_ = static_cast<Tables*>(engine_allocate(sizeof(Tables)));
  tables_->event_count = 1;
}

void EventRegistry::note(const Event& event, bool writes) {
  if (event.name == 0) return;
  const uint64_t entry = sections_.entry_of(event);
  if (!writes || !observes(event.kind)) sections_.note(event);
  const uint64_t hash =
      writes ? write_event(event.name, event.site) : read_event(event.name, event.site);
  uint32_t slot = static_cast<uint32_t>(hash >> 40) % kSlots;
  for (; tables_->event_slots[slot] != 0; slot = (slot + 1) % kSlots) {
    Known& known = tables_->events[tables_->event_slots[slot]];
    if (known.event != hash) continue;
    known.entry = entry;
    Location& location = tables_->locations[known.location];
    const bool more_threads = !known.many_threads && known.thread != event.thread;
    const bool more_concurrent = event.concurrent && !location.concurrent;
    if (!more_threads && !more_concurrent) return;
    known.many_threads |= more_threads;
    location.concurrent |= more_concurrent;
    return look_again(known.location);
  }
  if (tables_->event_count < kMostEvents) add(event, writes, hash, entry, slot);
}

void EventRegistry::add(const Event& event, bool writes, uint64_t hash, uint64_t entry,
                        uint32_t slot) {
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
                            .entry = entry,
                            .location = at,
                            .next = first,
                            .next_open = 0,
                            .tried = 0,
                            .kind = event.kind,
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
  Place* place = place_of(event.site);
  if (!place) return;
  event.open = true;
  event.next_open = place->first;
  place->first = read;
  ++place->count;
}

EventRegistry::Place* EventRegistry::place_of(uint64_t site) {
  for (uint32_t i = 0; i < tables_->place_count; ++i) {
    if (tables_->places[i].site == site) return &tables_->places[i];
  }
  if (tables_->place_count == kMostPlaces) return nullptr;
  Place& place = tables_->places[tables_->place_count++];
  place.site = site;
  return &place;
}

bool EventRegistry::find_pair(uint64_t write, uint64_t read, bool add) const {
  const uint64_t pair = combine(write, read) | 1;
  uint32_t slot = static_cast<uint32_t>(pair >> 40) % kSlots;
  for (; tables_->pairs[slot] != 0; slot = (slot + 1) % kSlots) {
    if (tables_->pairs[slot] == pair) return true;
  }
  if (add && tables_->pair_count < kSlots / 4 * 3) {
    ++tables_->pair_count;
    tables_->pairs[slot] = pair;
  }
  return false;
}

void EventRegistry::note_pair(uint64_t write, uint64_t read) { find_pair(write, read, true); }

// A lock is taken after it was given back, or never before: not while somebody has it.
bool EventRegistry::is_possible(const Known& write, const Known& read) const {
  const bool takes = read.kind == OpKind::mutex_lock || read.kind == OpKind::spin_lock;
  if (takes && write.kind == read.kind) return false;
  return by_different_threads(write, read);
}

void EventRegistry::collect_choices(const Known& read) {
  const Location& location = tables_->locations[read.location];
  choices_.clear();
  choices_.push_back(initial_write(location.name));
  for (uint32_t w = location.first_write; w; w = tables_->events[w].next) {
    if (is_possible(tables_->events[w], read)) choices_.push_back(tables_->events[w].event);
  }
}

void EventRegistry::note_race(uint64_t a, uint64_t b) {
  for (uint32_t e = 1; e < tables_->event_count; ++e) {
    const Known& event = tables_->events[e];
    Location& location = tables_->locations[event.location];
    if ((event.site != a && event.site != b) || location.raced) continue;
    if (tables_->race_count == kMostRaces) return;
    location.raced = true;
    tables_->races[tables_->race_count++] = event.location;
  }
}

// Of a location that was raced for: another thread's write that a read has never observed.
bool EventRegistry::draw_raced(Rng& rng, Constraint& constraint) {
  if (tables_->race_count == 0) return false;
  const Location& location = tables_->locations[tables_->races[rng.below(tables_->race_count)]];
  uint64_t unseen = 0;
  uint32_t looked_at = 0;
  for (uint32_t r = location.first_read; r && looked_at < kMostLookedAt;
       r = tables_->events[r].next) {
    const Known& read = tables_->events[r];
    if (!read.open || read.tried >= kMostTries) continue;
    for (uint32_t w = location.first_write; w && looked_at < kMostLookedAt;
         w = tables_->events[w].next, ++looked_at) {
      const Known& write = tables_->events[w];
      if (!is_possible(write, read) || find_pair(write.event, read.event, false)) continue;
      if (rng.below(++unseen) == 0) constraint = {read.name, write.event, read.event, false};
    }
  }
  if (unseen == 0) return false;
  ++find_event(constraint.read)->tried;
  return true;
}

bool EventRegistry::choose_write(Rng& rng, uint64_t read, bool observed,
                                 Constraint& constraint) const {
  const uint64_t start = rng.below(choices_.size());
  for (size_t n = 0; n < choices_.size(); ++n) {
    const uint64_t write = choices_[(start + n) % choices_.size()];
    if (find_pair(write, read, false) != observed) continue;
    constraint.write = write;
    return true;
  }
  return false;
}

bool EventRegistry::draw(Rng& rng, Constraint& constraint) {
  if (tables_->place_count == 0) return false;
  if (rng.below(4) != 0 && draw_raced(rng, constraint)) return true;
  const Place& place = tables_->places[rng.below(tables_->place_count)];
  uint32_t r = place.first;
  for (uint64_t n = rng.below(place.count); n > 0; --n) r = tables_->events[r].next_open;
  Known& read = tables_->events[r];
  collect_choices(read);
  constraint = {read.name, choices_[rng.below(choices_.size())], read.event, rng.below(2) == 0};
  if (read.tried >= kMostTries) return choose_write(rng, read.event, true, constraint);
  if (rng.below(4) == 0) return true;
  // What it has never observed: ask for it, or forbid what it has observed instead. To forbid that
  // a lock was given back would only make somebody keep it.
  const bool takes = read.kind == OpKind::mutex_lock || read.kind == OpKind::spin_lock;
  if (takes) constraint.negative = false;
  if (choose_write(rng, read.event, constraint.negative, constraint)) ++read.tried;
  return true;
}

EventRegistry::Entries EventRegistry::entries_of(const Constraint& constraint) const {
  Entries entries = {};
  const Known* read = find(constraint.read);
  const Known* write = find(constraint.write);
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
  const Known* to_read = find(entries.read);
  const Known* to_write = find(entries.write);
  if (to_read && to_write && to_read->location != to_write->location) entries.read = 0;
  return entries;
}

EventRegistry::Known* EventRegistry::find_event(uint64_t event) const {
  uint32_t slot = static_cast<uint32_t>(event >> 40) % kSlots;
  for (; tables_->event_slots[slot] != 0; slot = (slot + 1) % kSlots) {
    Known& known = tables_->events[tables_->event_slots[slot]];
    if (known.event == event) return &known;
  }
  return nullptr;
}

const EventRegistry::Known* EventRegistry::find(uint64_t event) const { return find_event(event); }

}  // namespace jostle
