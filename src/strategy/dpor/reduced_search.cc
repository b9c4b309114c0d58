// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/reduced_search.h"

namespace jostle::dpor {

namespace {

const Candidate* candidate_of(const Candidate* candidates, uint32_t count, Thread thread) {
  for (uint32_t i = 0; i < count; ++i) {
    if (candidates[i].thread == thread) return &candidates[i];
  }
  return nullptr;
}

bool has_alternative(const Candidate& candidate, uint32_t alternative) {
  for (uint32_t i = 0; i < candidate.alternative_count; ++i) {
    if (candidate.alternatives[i] == alternative) return true;
  }
  return candidate.alternative_count == 0 && alternative == kNone;
}

}  // namespace

ReducedSearch::ReducedSearch(const AwaitConditions* conditions)
    : tree_(&footprints_), reversals_(&footprints_, conditions) {
  restart();
}

void ReducedSearch::restart() {
  footprints_.clear();
  tree_.clear();
  events_.clear();
  levels_.clear();
  levels_.push_back({tree_.make({}), kNone, 0, 0});
  trouble_ = Trouble::none;
  runs_ = sleep_blocked_runs_ = races_found_ = 0;
}

void ReducedSearch::begin_run() {
  events_.clear();
  is_sleep_blocked_ = false;
}

void ReducedSearch::stop(Trouble trouble) {
  if (trouble_ != Trouble::none) return;
  trouble_ = trouble;
  trouble_at_ = events_.size();
}

// Asleep is a thread all of whose alternatives are; otherwise `alternative` is the first that is
// not.
bool ReducedSearch::is_asleep(const Level& level, const Candidate& candidate,
                              uint32_t* alternative) const {
  const uint32_t count = candidate.alternative_count ? candidate.alternative_count : 1;
  for (uint32_t i = 0; i < count; ++i) {
    *alternative = candidate.alternative_count ? candidate.alternatives[i] : kNone;
    const Step step = {candidate.thread, *alternative, 0};
    WakeupTree::Node member = level.sleep;
    while (member != kNone && !same_step(tree_.step(member), step)) member = tree_.next(member);
    if (member == kNone) return false;
  }
  return true;
}

// Nothing is planned: the current thread goes on if it may, for few switches.
Step ReducedSearch::fresh_step(const Candidate* candidates, uint32_t count, Thread current) const {
  const Level& level = levels_[events_.size()];
  Step found = {kNone, kNone, 0};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t alternative;
    if (is_asleep(level, candidates[i], &alternative)) continue;
    if (found.thread != kNone && candidates[i].thread != current) continue;
    found = {candidates[i].thread, alternative, 0};
  }
  return found;
}

Pick ReducedSearch::next(const Candidate* candidates, uint32_t count, Thread current) {
  if (trouble_ != Trouble::none) return {};
  const WakeupTree::Node node = levels_[events_.size()].node;
  if (tree_.first_child(node) == kNone) {
    const Step step = fresh_step(candidates, count, current);
    if (step.thread == kNone) {
      is_sleep_blocked_ = true;
      return {};
    }
    tree_.append_child(node, step);
  }
  Step& step = tree_.step(tree_.first_child(node));
  const Candidate* candidate = candidate_of(candidates, count, step.thread);
  if (!candidate) {
    stop(Trouble::not_enabled);
    return {};
  }
  if (!has_alternative(*candidate, step.alternative)) {
    step.alternative = candidate->alternative_count ? candidate->alternatives[0] : kNone;
  }
  picked_candidate_ = *candidate;
  picked_ = {step.thread, step.alternative};
  return picked_;
}

void ReducedSearch::repeat(const Candidate& candidate, uint32_t alternative) {
  const WakeupTree::Node node = levels_[events_.size()].node;
  if (tree_.first_child(node) == kNone) {
    tree_.append_child(node, {candidate.thread, alternative, 0});
  }
  Step& step = tree_.step(tree_.first_child(node));
  if (step.thread != candidate.thread) stop(Trouble::differs);
  step.alternative = alternative;
  picked_candidate_ = candidate;
  picked_ = {candidate.thread, alternative};
}

void ReducedSearch::executed(const Action& action) {
  const uint32_t depth = events_.size();
  const WakeupTree::Node child = tree_.first_child(levels_[depth].node);
  Step& step = tree_.step(child);
  const Footprint footprint = footprints_.of(action.parts, action.part_count, action.took_effect);
  const bool is_repeated = depth + 1 < levels_.size();
  if (action.thread != step.thread || (is_repeated && footprint != step.footprint)) {
    stop(Trouble::differs);
  }
  step.footprint = footprint;
  if (!is_repeated) add_level(levels_[depth], child);
  events_.add(action, footprint, picked_.alternative, picked_candidate_.alternatives,
              picked_candidate_.alternative_count);
}

void ReducedSearch::add_level(const Level& above, WakeupTree::Node node) {
  Level level = {node, kNone, 0, 0};
  const Step taken = tree_.step(node);
  for (WakeupTree::Node member = above.sleep; member != kNone; member = tree_.next(member)) {
    if (!tree_.dependent(tree_.step(member), taken)) tree_.push(level.sleep, tree_.step(member));
  }
  levels_.push_back(level);
}

void ReducedSearch::taken_away(const Action& action) {
  events_.add_missed(action, footprints_.of(action.parts, action.part_count, true), true);
}

void ReducedSearch::blocked(const Action& action) {
  events_.add_missed(action, footprints_.of(action.parts, action.part_count, true), false);
}

bool ReducedSearch::end_run() {
  if (trouble_ != Trouble::none) return false;
  if (events_.size() + 1 != levels_.size()) {
    stop(Trouble::differs);  // it ended earlier than the run before did on the same path
    return false;
  }
  ++runs_;
  if (is_sleep_blocked_) ++sleep_blocked_runs_;
  plan_reversals();
  plan_alternatives();
  return backtrack();
}

void ReducedSearch::plan_reversals() {
  events_.order(footprints_);
  reversals_.find(events_, races_);
  races_found_ += races_.size();
  for (const EventPair& race : races_) {
    reversals_.sequence(events_, race, sequence_);
    plan(race.first);
  }
}

void ReducedSearch::plan_alternatives() {
  for (uint32_t depth = 0; depth < events_.size(); ++depth) {
    const RunEvent& event = events_[depth];
    for (uint32_t i = 0; i < event.alternative_count; ++i) {
      const uint32_t alternative = events_.alternatives(event)[i];
      if (alternative == event.alternative) continue;
      sequence_.clear();
      sequence_.push_back({event.action.thread, alternative, event.footprint});
      plan(depth);
    }
  }
}

void ReducedSearch::plan(uint32_t depth) {
  const Level& level = levels_[depth];
  for (WakeupTree::Node member = level.sleep; member != kNone; member = tree_.next(member)) {
    size_t at;
    if (tree_.can_begin(sequence_, tree_.step(member), &at)) return;
  }
  tree_.insert(level.node, sequence_);
}

bool ReducedSearch::backtrack() {
  tree_.release_list(levels_.pop_back().sleep);
  uint64_t runs_below = 1;
  while (!levels_.empty()) {
    Level& level = levels_.back();
    level.finished_runs += runs_below;
    ++level.finished_children;
    tree_.push(level.sleep, tree_.step(tree_.first_child(level.node)));
    tree_.remove_first_child(level.node);
    if (tree_.first_child(level.node) != kNone) return true;
    runs_below = level.finished_runs;
    tree_.release_list(levels_.pop_back().sleep);
  }
  return false;
}

double ReducedSearch::estimate() const {
  if (levels_.empty()) return static_cast<double>(runs_);
  double below = 1;
  for (size_t depth = levels_.size(); depth > 0; --depth) {
    const Level& level = levels_[depth - 1];
    const double finished = level.finished_children;
    const double waiting = tree_.child_count(level.node);
    // Between runs the last level has no child that is being run.
    if (depth == levels_.size() && finished > 0) {
      below = static_cast<double>(level.finished_runs) * (finished + waiting) / finished;
      continue;
    }
    if (waiting == 0) continue;
    below =
        (static_cast<double>(level.finished_runs) + below) * (finished + waiting) / (finished + 1);
  }
  return below;
}

}  // namespace jostle::dpor
