// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/neighbour_search.h"

#include "src/base/hash.h"

namespace jostle::dpor {

namespace {

uint64_t with_step(uint64_t identity, Thread thread, ChoicePath path, Footprint footprint) {
  return combine(combine(identity, (uint64_t{thread} << 32) | path), footprint);
}

}  // namespace

void NeighbourSearch::Ring::clear() {
  executions.clear();
  steps.clear();
  plans.clear();
  counts.clear();
}

void NeighbourSearch::restart() {
  footprints_.clear();
  paths_.clear();
  events_.clear();
  for (Ring& ring : rings_) ring.clear();
  distance_ = 0;
  next_plan_ = plans_made_ = executions_expanded_ = 0;
  origins_.clear();
  known_.clear();
  known_table_.clear();
  was_cut_ = false;
  trouble_ = Trouble::none;
  runs_made_ = 0;
}

void NeighbourSearch::stop(Trouble trouble) {
  if (trouble_ != Trouble::none) return;
  trouble_ = trouble;
  trouble_at_ = events_.size();
}

void NeighbourSearch::begin_run() {
  events_.clear();
  expected_.clear();
  strict_ = rest_ = 0;
  identity_ = expected_identity_ = 0;
  is_given_up_ = is_uncertain_ = may_end_early_ = false;
  if (!is_middle() && next_plan_ < present().plans.size()) prepare(present().plans[next_plan_]);
}

// First the steps that stay, then the one that was second, then all others in their order.
void NeighbourSearch::prepare(const Plan& plan) {
  const Ring& ring = present();
  const Kept& execution = ring.executions[plan.execution];
  bool has_last = false;
  for (const bool stays : {true, false}) {
    stays_.clear();
    stays_.resize(execution.threads);
    bool has_reversed = stays;  // the step that was second is among the others once
    for (uint32_t i = 0; i < execution.count; ++i) {
      const Taken& step = ring.steps[execution.first + i];
      const bool is_kept = stays_[step.thread]++ < ring.counts[plan.stays + step.thread];
      if (is_kept != stays) continue;
      if (!has_reversed && step.thread == plan.next.thread) {
        has_reversed = true;
        continue;
      }
      expected_.push_back({step, false});
      has_last |= stays && i + 1 == execution.count;
    }
    if (!stays) continue;
    expected_.push_back({plan.next, false});
    strict_ = rest_ = static_cast<uint32_t>(expected_.size());
  }
  // If that ended the program (it failed), there is no reversal behind it.
  may_end_early_ = has_last;
  is_uncertain_ = plan.is_uncertain;
  expected_identity_ = plan.identity;
}

uint32_t NeighbourSearch::expected_of(Thread thread) const {
  for (uint32_t i = rest_; i < expected_.size(); ++i) {
    if (!expected_[i].is_over && expected_[i].step.thread == thread) return i;
  }
  return kNone;
}

Thread NeighbourSearch::next(const Thread* enabled, uint32_t count, Thread current) {
  if (trouble_ != Trouble::none || is_given_up_) return kNone;
  const uint32_t depth = events_.size();
  const auto is_enabled = [&](Thread thread) {
    for (uint32_t i = 0; i < count; ++i) {
      if (enabled[i] == thread) return true;
    }
    return false;
  };
  if (depth < strict_) {
    const Thread wanted = expected_[depth].step.thread;
    if (is_enabled(wanted)) return wanted;
    // By now it is known that it does not go on here.
    if (depth + 1 == strict_ && is_uncertain_) {
      is_given_up_ = true;
    } else {
      stop(Trouble::not_enabled);
    }
    return kNone;
  }
  for (uint32_t i = rest_; i < expected_.size(); ++i) {
    if (!expected_[i].is_over && is_enabled(expected_[i].step.thread)) {
      return expected_[i].step.thread;
    }
  }
  return is_enabled(current) ? current : enabled[0];
}

bool NeighbourSearch::would_take(Thread thread) const {
  if (trouble_ != Trouble::none || is_given_up_) return false;
  const uint32_t at = events_.size() < strict_ ? events_.size() : rest_;
  return at < expected_.size() && expected_[at].step.thread == thread;
}

uint32_t NeighbourSearch::choice(Thread thread, uint32_t i, uint32_t alternatives) const {
  const uint32_t at = events_.size() < strict_ ? events_.size() : expected_of(thread);
  if (at == kNone || expected_[at].step.thread != thread) return 0;
  const ChoicePath path = expected_[at].step.path;
  const uint32_t taken = i < paths_.length(path) ? paths_.taken(path, i) : 0;
  return taken < alternatives ? taken : 0;
}

void NeighbourSearch::executed(const Action& action) {
  const uint32_t depth = events_.size();
  const Footprint footprint = footprints_.of(action.parts, action.part_count);
  ChoicePath path = kNoChoice;
  for (uint32_t i = 0; i < action.choice_count; ++i) {
    path = paths_.extended(path, action.choices[i].taken, action.choices[i].alternatives);
  }
  if (depth < strict_) {
    if (expected_[depth].step.thread != action.thread) stop(Trouble::differs);
    if (depth + 1 == strict_ && identity_ != expected_identity_) stop(Trouble::differs);
    identity_ = with_step(identity_, action.thread, path, footprint);
  } else if (const uint32_t at = expected_of(action.thread); at != kNone) {
    expected_[at].is_over = true;
    while (rest_ < expected_.size() && expected_[rest_].is_over) ++rest_;
  }
  events_.add(action, footprint, path);
}

void NeighbourSearch::retract(Thread thread) {
  const uint32_t depth = events_.size();
  if (depth >= strict_ || expected_[depth].step.thread != thread) return;
  if (depth + 1 == strict_ && is_uncertain_) {
    is_given_up_ = true;
  } else {
    stop(Trouble::differs);  // it could go on here before
  }
}

void NeighbourSearch::missed(const Action& action, bool is_taken_away) {
  events_.add_missed(action, footprints_.of(action.parts, action.part_count), is_taken_away);
}

bool NeighbourSearch::end_run() {
  if (trouble_ != Trouble::none) return false;
  const bool is_early =
      events_.size() < strict_ && !(may_end_early_ && events_.size() + 1 == strict_);
  if (!is_given_up_ && is_early) {
    stop(Trouble::differs);  // it ended earlier than the execution that it is next to
    return false;
  }
  const bool was_middle = is_middle();
  ++runs_made_;
  if (!is_given_up_) {
    events_.order(footprints_);
    if (is_new()) plan_from(was_middle ? present() : following());
  }
  if (!was_middle) ++next_plan_;
  return advance();
}

bool NeighbourSearch::is_new() {
  const uint64_t identity = events_.identity();
  const auto is_same = [&](uint32_t i) { return known_[i] == identity; };
  if (known_table_.find(identity, is_same) != IndexTable::kNotThere) return false;
  known_.push_back(identity);
  known_table_.add(static_cast<uint32_t>(known_.size()) - 1,
                   [this](uint32_t i) { return known_[i]; });
  return true;
}

// What is to be run from the execution that is over, which belongs to this ring.
void NeighbourSearch::plan_from(Ring& ring) {
  reversals_.find(events_, races_);
  const bool is_middle = &ring == &present();
  if ((is_middle ? 0 : distance_ + 1) >= radius_) {
    was_cut_ |= !races_.empty();
    for (uint32_t i = 0; i < events_.size(); ++i) was_cut_ |= events_[i].action.choice_count != 0;
    return;
  }
  ++executions_expanded_;
  ring.executions.push_back({ring.steps.size(), events_.size(), events_.threads()});
  for (uint32_t i = 0; i < events_.size(); ++i) {
    ring.steps.push_back({events_[i].action.thread, events_[i].path});
  }
  for (const EventPair& race : races_) plan_race(ring, race);
  plan_choices(ring);
}

void NeighbourSearch::plan_race(Ring& ring, const EventPair& race) {
  reversals_.sequence(events_, race, sequence_);
  stays_.clear();
  stays_.resize(events_.threads());
  for (uint32_t i = 0; i < race.first; ++i) ++stays_[events_[i].action.thread];
  const Step second = sequence_.pop_back();
  for (const Step& step : sequence_) ++stays_[step.thread];
  plan(ring, {second.thread, second.path}, second.is_uncertain, race);
}

void NeighbourSearch::plan_choices(Ring& ring) {
  for (uint32_t at = 0; at < events_.size(); ++at) {
    const RunEvent& event = events_[at];
    if (event.action.choice_count == 0) continue;
    stays_.clear();
    stays_.resize(events_.threads());
    for (uint32_t i = 0; i < events_.size(); ++i) {
      if (i < at || !events_.ordered(at, i)) ++stays_[events_[i].action.thread];
    }
    for (uint32_t i = 0; i < event.action.choice_count; ++i) {
      const Choice& made = events_.choice(event, i);
      const ChoicePath before = paths_.beginning(event.path, i);
      for (uint32_t other = 0; other < made.alternatives; ++other) {
        if (other == made.taken) continue;
        plan(ring, {event.action.thread, paths_.extended(before, other, made.alternatives)}, false,
             {at, kNone});
      }
    }
  }
}

// stays_ says what is before it.
void NeighbourSearch::plan(Ring& ring, const Taken& next, bool is_uncertain,
                           const EventPair& origin) {
  const auto execution = static_cast<uint32_t>(ring.executions.size()) - 1;
  uint64_t identity = 0;
  for (uint32_t i = 0; i < events_.size(); ++i) {
    const RunEvent& event = events_[i];
    if (event.ordinal >= stays_[event.action.thread]) continue;
    identity = with_step(identity, event.action.thread, event.path, event.footprint);
  }
  const uint32_t known = keeps_origins_ ? static_cast<uint32_t>(origins_.size()) : kNone;
  if (keeps_origins_) origins_.push_back(origin);
  ring.plans.push_back({execution, ring.counts.size(), next, is_uncertain, identity, known});
  for (const uint32_t count : stays_) ring.counts.push_back(count);
  ++plans_made_;
}

bool NeighbourSearch::advance() {
  if (next_plan_ < present().plans.size()) return true;
  present().clear();
  ++distance_;
  next_plan_ = 0;
  return !present().plans.empty();
}

// As if the rings to come were like those that were.
double NeighbourSearch::estimate() const {
  const auto found = static_cast<double>(known_.size());
  if (runs_made_ == 0 || executions_expanded_ == 0) return found;
  const double share = found / static_cast<double>(runs_made_);
  const double plans = static_cast<double>(plans_made_) / static_cast<double>(executions_expanded_);
  double waiting = static_cast<double>(present().plans.size() - next_plan_);
  double after = static_cast<double>(rings_[(distance_ + 1) % 2].plans.size());
  double all = found;
  for (uint32_t ring = distance_; ring < radius_ && waiting >= 1 && all < 1e18; ++ring) {
    all += waiting * share;
    waiting = ring + 1 < radius_ ? after + waiting * share * plans : 0;
    after = 0;
  }
  return all;
}

}  // namespace jostle::dpor
