// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/work_tree.h"

#include "src/strategy/dpor/work/step_bytes.h"

namespace jostle::dpor {

namespace {

// Entries are in the order of their numbers.
template <typename Entry>
size_t index_of(const EngineVector<Entry>& entries, uint32_t id) {
  size_t first = 0, last = entries.size();
  while (first < last) {
    const size_t middle = (first + last) / 2;
    if (entries[middle].id < id) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

template <typename Entry>
void remove_entry(EngineVector<Entry>& entries, uint32_t id) {
  for (size_t i = index_of(entries, id) + 1; i < entries.size(); ++i) entries[i - 1] = entries[i];
  entries.pop_back();
}

template <typename Entry>
Entry* entry_of(EngineVector<Entry>& entries, uint32_t id) {
  const size_t at = index_of(entries, id);
  return at < entries.size() && entries[at].id == id ? &entries[at] : nullptr;
}

}  // namespace

WorkTree::Ticket* WorkTree::ticket(uint32_t id) { return entry_of(tickets_, id); }
WorkTree::Place* WorkTree::place(uint32_t id) { return entry_of(places_, id); }

void WorkTree::path_to(const Place& place, EngineVector<Step>& to) {
  to.clear();
  to.resize(place.depth);
  const Place* at = &place;
  while (at->ticket != kWholeSearch) {
    const Ticket* above = ticket(at->ticket);
    to[at->depth - 1] = above->step;
    at = this->place(above->place);
  }
}

void WorkTree::sleepers_at(const Place& place, EngineVector<Sleeper>& to) {
  to.clear();
  for (uint32_t i = place.first_sleeper; i != kNone; i = sleepers_[i].next) {
    to.push_back(sleepers_[i]);
  }
  for (const Ticket* each = ticket(place.first_ticket); each; each = ticket(each->next)) {
    to.push_back({each->step, each->id});
  }
}

void WorkTree::keep_asleep(EngineVector<Sleeper>& sleepers, const Step& step) const {
  size_t left = 0;
  for (const Sleeper& each : sleepers) {
    if (!tree_.dependent(each.step, step)) sleepers[left++] = each;
  }
  sleepers.resize(left);
}

bool WorkTree::any_in_work(const EngineVector<Sleeper>& sleepers) {
  for (const Sleeper& each : sleepers) {
    if (each.ticket != 0) return true;
  }
  return false;
}

uint32_t WorkTree::most_steps() const {
  constexpr size_t kManyPlaces = 24;
  constexpr uint32_t kFew = 4, kMany = 64;
  return places_.size() < kManyPlaces ? kMany : kFew;
}

uint32_t WorkTree::depth_of_work(const Place& place) {
  WakeupTree::Node child = tree_.first_child(place.waiting);
  if (place.unsettled != 0 || child == kNone) return 0;
  sleepers_at(place, found_);
  for (uint32_t depth = 1; child != kNone && depth <= most_steps(); ++depth) {
    keep_asleep(found_, tree_.step(child));
    if (!any_in_work(found_)) return depth;
    child = tree_.first_child(child);
  }
  return 0;
}

bool WorkTree::has_work() {
  if (is_finished_) return false;
  if (!is_begun_) return true;
  for (const Place& place : places_) {
    if (depth_of_work(place) != 0 || is_open(place)) return true;
  }
  return false;
}

// Nobody is at work there, or on what sleeps there.
bool WorkTree::is_free(const Place& place) {
  if (place.tickets != 0) return false;
  sleepers_at(place, found_);
  return !any_in_work(found_);
}

bool WorkTree::is_open(const Place& place) {
  return place.takes_any && tree_.first_child(place.waiting) == kNone && is_free(place);
}

uint32_t WorkTree::add_place(uint32_t ticket, uint32_t depth) {
  places_.push_back({++last_id_, ticket, tree_.make({}), depth});
  if (ticket != kWholeSearch) this->ticket(ticket)->below = last_id_;
  return last_id_;
}

uint32_t WorkTree::add_ticket(uint32_t at, const Step& step, bool is_settled) {
  tickets_.push_back({++last_id_, at, step, is_settled});
  connect_ticket(tickets_.back(), *place(at));
  return last_id_;
}

void WorkTree::connect_ticket(Ticket& added, Place& to) {
  ++to.tickets;
  to.unsettled += !added.is_settled;
  if (to.last_ticket != 0) ticket(to.last_ticket)->next = added.id;
  to.last_ticket = added.id;
  if (to.first_ticket == 0) to.first_ticket = added.id;
}

void WorkTree::remove_ticket(uint32_t id) {
  const Ticket removed = *ticket(id);
  if (id == looked_up_) look_up(0);
  Place& from = *place(removed.place);
  --from.tickets;
  from.unsettled -= !removed.is_settled;
  uint32_t before = 0;
  for (uint32_t each = from.first_ticket; each != id; each = ticket(each)->next) before = each;
  (before == 0 ? from.first_ticket : ticket(before)->next) = removed.next;
  if (from.last_ticket == id) from.last_ticket = before;
  remove_entry(tickets_, id);
}

void WorkTree::add_sleeper(uint32_t at, const Step& step, uint32_t ticket) {
  uint32_t added = free_sleeper_;
  if (added == kNone) {
    added = static_cast<uint32_t>(sleepers_.size());
    sleepers_.push_back({});
  } else {
    free_sleeper_ = sleepers_[added].next;
  }
  uint32_t& first = place(at)->first_sleeper;
  sleepers_[added] = {step, ticket, first};
  first = added;
}

bool WorkTree::claim(Work& work) {
  work.path.clear();
  work.asleep.clear();
  work.planned.clear();
  work.ticket = kWholeSearch;
  work.is_whole_state = false;
  if (is_finished_) return false;
  if (!is_begun_) {
    is_begun_ = true;
    return true;
  }
  uint32_t chosen = kNone, steps = 0, least = kNone;
  for (const Place& each : places_) {
    // That which begins at the shallowest state: there is most to do.
    if (each.depth >= least) continue;
    const uint32_t depth = depth_of_work(each);
    if (depth == 0 || each.depth + depth >= least) continue;
    chosen = each.id;
    steps = depth;
    least = each.depth + depth;
  }
  if (chosen == kNone) {
    for (const Place& each : places_) {
      if (!is_open(each)) continue;
      take_whole(each, work);
      return true;
    }
    return false;
  }
  // States where somebody in work is still asleep become places.
  for (; steps > 1; --steps) {
    const Place above = *place(chosen);
    const WakeupTree::Node child = tree_.first_child(above.waiting);
    const Step step = tree_.step(child);
    sleepers_at(above, found_);
    keep_asleep(found_, step);
    const uint32_t added = add_ticket(chosen, step, true);
    planned_.clear();
    tree_.list_from(tree_.first_child(child), planned_);
    chosen = add_place(added, above.depth + 1);
    tree_.add_below(place(chosen)->waiting, planned_.begin(), planned_.size());
    for (const Sleeper& each : found_) add_sleeper(chosen, each.step, each.ticket);
    tree_.remove_first_child(above.waiting);
  }
  const Place from = *place(chosen);
  path_to(from, work.path);
  sleepers_at(from, found_);
  for (const Sleeper& each : found_) work.asleep.push_back(each.step);
  const WakeupTree::Node child = tree_.first_child(from.waiting);
  planned_.clear();
  tree_.list_from(tree_.first_child(child), planned_);
  work.planned.push_back({tree_.step(child), 1});
  for (const WakeupTree::Planned& below : planned_) {
    work.planned.push_back({below.step, below.depth + 1});
  }
  work.ticket = add_ticket(chosen, tree_.step(child), false);
  tree_.remove_first_child(from.waiting);
  return true;
}

bool WorkTree::take_back(Work& work) {
  for (const Place& each : places_) {
    const bool has_steps = each.takes_any || tree_.first_child(each.waiting) != kNone;
    if (!has_steps || !is_free(each)) continue;
    take_whole(each, work);
    return true;
  }
  return false;
}

// REQUIRES: it is free.
void WorkTree::take_whole(const Place& place, Work& work) {
  path_to(place, work.path);
  sleepers_at(place, found_);
  work.asleep.clear();
  for (const Sleeper& sleeper : found_) work.asleep.push_back(sleeper.step);
  work.planned.clear();
  tree_.list_from(tree_.first_child(place.waiting), work.planned);
  work.ticket = place.ticket;
  work.is_whole_state = true;
  if (place.ticket != kWholeSearch) ticket(place.ticket)->below = 0;
  while (tree_.first_child(place.waiting) != kNone) tree_.remove_first_child(place.waiting);
  remove_place(place.id);
}

bool WorkTree::settle(uint32_t id, const Step& step) {
  Ticket* settled = ticket(id);
  if (!settled || settled->is_settled) return true;
  settled->step = step;
  settled->is_settled = true;
  Place& at = *place(settled->place);
  --at.unsettled;
  sleepers_at(at, found_);
  size_t others = 0;
  for (const Sleeper& each : found_) {
    if (each.ticket != id) found_[others++] = each;
  }
  found_.resize(others);
  keep_asleep(found_, step);
  return !any_in_work(found_);
}

bool WorkTree::is_settled(uint32_t id) { return id == kWholeSearch || ticket(id)->is_settled; }

uint32_t WorkTree::publish(uint32_t id, const PublishedState& state) {
  const uint32_t depth = id == kWholeSearch ? 0 : place(ticket(id)->place)->depth + 1;
  const uint32_t added = add_place(id, depth);
  for (const Step& step : state.asleep) add_sleeper(added, step, 0);
  tree_.add_below(place(added)->waiting, state.waiting.begin(), state.waiting.size());
  return add_ticket(added, state.child, true);
}

WorkTree::Place* WorkTree::place_at(uint32_t id, uint32_t depth) {
  if (id != looked_up_) look_up(id);
  return depth < above_.size() ? place(above_[depth]) : nullptr;
}

// Places above a ticket stay as long as the ticket.
void WorkTree::look_up(uint32_t id) {
  looked_up_ = id;
  above_.clear();
  const Ticket* below = ticket(id);
  if (!below) return;
  above_.resize(place(below->place)->depth + 1);
  for (size_t left = above_.size(); left > 0; --left) {
    above_[left - 1] = below->place;
    below = ticket(place(below->place)->ticket);
  }
}

// Below which node of the waiting steps of a place the sequence, or what is left of it in
// sequence_, is missing. kNone: it is not.
WakeupTree::Node WorkTree::find_gap(uint32_t id, uint32_t depth, const Step* sequence,
                                    size_t count) {
  const Place* at = place_at(id, depth);
  sequence_.resize(count);
  for (size_t i = 0; i < count; ++i) sequence_[i] = sequence[i];
  while (at) {
    size_t position = 0;
    for (uint32_t i = at->first_sleeper; i != kNone; i = sleepers_[i].next) {
      if (tree_.can_begin(sequence_, sleepers_[i].step, &position)) return kNone;
    }
    const Ticket* taken = ticket(at->first_ticket);
    while (taken && !tree_.can_begin(sequence_, taken->step, &position)) {
      taken = ticket(taken->next);
    }
    if (!taken) {
      WakeupTree::Node node = at->waiting;
      // Without any that wait it is no leaf: others are being explored.
      const bool is_empty = tree_.first_child(node) == kNone;
      return is_empty || tree_.lacks(node, sequence_) ? node : kNone;
    }
    if (position == sequence_.size() || sequence_.size() == 1 || taken->below == 0) return kNone;
    for (size_t i = position + 1; i < sequence_.size(); ++i) sequence_[i - 1] = sequence_[i];
    sequence_.pop_back();
    at = place(taken->below);
  }
  return kNone;
}

bool WorkTree::covers(uint32_t id, uint32_t depth, const Step* sequence, size_t count) {
  return find_gap(id, depth, sequence, count) == kNone;
}

bool WorkTree::insert(uint32_t id, uint32_t depth, const Step* sequence, size_t count) {
  WakeupTree::Node node = find_gap(id, depth, sequence, count);
  if (node == kNone) return false;
  for (const Step& step : sequence_) node = tree_.append_child(node, step);
  return true;
}

void WorkTree::finish(uint32_t id) {
  if (id == kWholeSearch) {
    is_finished_ = true;
    return;
  }
  const Ticket done = *ticket(id);
  add_sleeper(done.place, done.step, 0);
  ++place(done.place)->finished;
  take_in(id);
}

// What was planned for the same place, and left out because this step could have come before it,
// is among what follows any other step that is taken from there instead.
void WorkTree::drop(uint32_t id) {
  Place& at = *place(ticket(id)->place);
  at.takes_any |= tree_.first_child(at.waiting) == kNone;
  take_in(id);
}

void WorkTree::take_in(uint32_t id) {
  remove_ticket(id);
  for (Sleeper& each : sleepers_) {
    if (each.ticket == id) each.ticket = 0;
  }
  // Also those that had to wait for it.
  for (size_t i = places_.size(); i > 0; --i) {
    if (i <= places_.size()) close_if_finished(places_[i - 1].id);
  }
}

void WorkTree::close_if_finished(uint32_t id) {
  const Place closed = *place(id);
  if (closed.tickets != 0 || closed.takes_any) return;
  if (tree_.first_child(closed.waiting) != kNone) return;
  for (uint32_t i = closed.first_sleeper; i != kNone; i = sleepers_[i].next) {
    if (sleepers_[i].ticket != 0) return;
  }
  remove_place(id);
  finish(closed.ticket);
}

// REQUIRES: nothing waits there.
void WorkTree::remove_place(uint32_t id) {
  for (uint32_t i = place(id)->first_sleeper; i != kNone;) {
    const uint32_t removed = i;
    i = sleepers_[i].next;
    sleepers_[removed] = {{}, 0, free_sleeper_};
    free_sleeper_ = removed;
  }
  tree_.release_list(place(id)->waiting);
  remove_entry(places_, id);
}

double WorkTree::share_done() {
  if (is_finished_) return 1;
  double done = 0;
  weights_.clear();
  // Places come after those above them.
  for (const Place& at : places_) {
    double weight = 1;
    if (at.ticket != kWholeSearch) weight = weights_[index_of(places_, ticket(at.ticket)->place)];
    const double all = at.finished + at.tickets + tree_.child_count(at.waiting);
    if (all > 0) weight /= all;
    weights_.push_back(weight);
    done += weight * at.finished;
  }
  for (const Ticket& each : tickets_) {
    if (each.below == 0) done += weights_[index_of(places_, each.place)] / 2;
  }
  return done;
}

void WorkTree::clear() {
  tree_.clear();
  places_.clear();
  tickets_.clear();
  sleepers_.clear();
  free_sleeper_ = kNone;
  looked_up_ = 0;
  above_.clear();
  is_begun_ = is_finished_ = false;
}

void WorkTree::write(ByteWriter& to, const ThreadNames& threads) {
  const StepBytes steps(footprints_, paths_);
  to.number(is_begun_);
  to.number(is_finished_);
  to.number(last_id_);
  to.number(places_.size());
  for (const Place& each : places_) {
    to.number(each.id);
    to.number(each.ticket);
    to.number(each.finished);
    to.number(each.takes_any);
    planned_.clear();
    tree_.list_from(tree_.first_child(each.waiting), planned_);
    steps.write(to, threads, planned_);
  }
  to.number(tickets_.size());
  for (const Ticket& each : tickets_) {
    to.number(each.id);
    to.number(each.place);
    to.number(each.is_settled);
    to.number(each.below);
    steps.write(to, threads, each.step);
  }
  for (const Place& at : places_) {
    uint32_t sleepers = 0;
    for (uint32_t i = at.first_sleeper; i != kNone; i = sleepers_[i].next) ++sleepers;
    to.number(sleepers);
    for (uint32_t i = at.first_sleeper; i != kNone; i = sleepers_[i].next) {
      to.number(sleepers_[i].ticket);
      steps.write(to, threads, sleepers_[i].step);
    }
  }
}

bool WorkTree::read(ByteReader& from, ThreadNames& threads) {
  clear();
  StepBytes steps(footprints_, paths_);
  is_begun_ = from.number(1) != 0;
  is_finished_ = from.number(1) != 0;
  last_id_ = static_cast<uint32_t>(from.number(UINT32_MAX));
  bool is_good = true;
  for (uint32_t left = from.count(); left > 0 && is_good; --left) {
    Place each = {};
    each.id = static_cast<uint32_t>(from.number(last_id_));
    each.ticket = static_cast<uint32_t>(from.number(last_id_));
    each.finished = static_cast<uint32_t>(from.number(UINT32_MAX));
    each.takes_any = from.number(1) != 0;
    each.waiting = tree_.make({});
    is_good = steps.read(from, threads, parts_, planned_);
    if (is_good) tree_.add_below(each.waiting, planned_.begin(), planned_.size());
    places_.push_back(each);
  }
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    Ticket each = {};
    each.id = static_cast<uint32_t>(from.number(last_id_));
    each.place = static_cast<uint32_t>(from.number(last_id_));
    each.is_settled = from.number(1) != 0;
    each.below = static_cast<uint32_t>(from.number(last_id_));
    each.step = steps.read(from, threads, parts_);
    tickets_.push_back(each);
  }
  for (size_t i = 0; i < places_.size(); ++i) {
    for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
      const auto under = static_cast<uint32_t>(from.number(last_id_));
      add_sleeper(places_[i].id, steps.read(from, threads, parts_), under);
    }
  }
  if (is_good && from.is_good() && connect()) return true;
  clear();
  return false;
}

// After reading: everything refers to something that is there, above it.
bool WorkTree::connect() {
  for (size_t i = 1; i < places_.size(); ++i) {
    if (places_[i].id <= places_[i - 1].id) return false;
  }
  for (size_t i = 0; i < tickets_.size(); ++i) {
    if (tickets_[i].id == kWholeSearch || (i > 0 && tickets_[i].id <= tickets_[i - 1].id)) {
      return false;
    }
    Place* at = place(tickets_[i].place);
    if (!at) return false;
    connect_ticket(tickets_[i], *at);
  }
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& each = places_[i];
    if ((each.ticket == kWholeSearch) != (i == 0)) return false;
    if (i == 0) continue;
    const Ticket* own = ticket(each.ticket);
    if (!own || own->below != each.id || own->place >= each.id) return false;
    each.depth = place(own->place)->depth + 1;
  }
  for (const Sleeper& each : sleepers_) {
    if (each.ticket != 0 && !ticket(each.ticket)) return false;
  }
  return is_begun_ || places_.empty();
}

}  // namespace jostle::dpor
