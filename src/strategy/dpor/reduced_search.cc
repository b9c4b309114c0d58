// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/reduced_search.h"

#include <utility>

#include "src/strategy/dpor/work/finished_share.h"

namespace jostle::dpor {

ReducedSearch::ReducedSearch(const AwaitConditions* conditions)
    : tree_(&footprints_, &paths_), reversals_(&footprints_, &paths_, conditions) {
  restart();
}

void ReducedSearch::restart() {
  footprints_.clear();
  paths_.clear();
  tree_.clear();
  events_.clear();
  levels_.clear();
  levels_.push_back({tree_.make({}), kNone, 0, 0});
  base_ = 0;
  has_plan_ = true;
  runs_of_work_ = 0;
  has_first_step_ = false;
  origins_.clear();
  origin_of_node_.clear();
  origin_ = kNone;
  trouble_ = Trouble::none;
  runs_ = sleep_blocked_runs_ = races_found_ = 0;
}

void ReducedSearch::begin_work(const Work& work) {
  tree_.clear();
  levels_.clear();
  runs_of_work_ = 0;
  has_first_step_ = false;
  trouble_ = Trouble::none;  // of a run that does not count
  base_ = 0;
  has_plan_ = true;
  levels_.push_back({tree_.make({}), kNone, 0, 0});
  if (work.ticket == kWholeSearch && !work.is_whole_state) return;
  for (const Step& step : work.path) {
    levels_.push_back({tree_.append_child(levels_.back().node, step), kNone, 0, 0});
  }
  for (const Step& step : work.asleep) tree_.push(levels_.back().sleep, step);
  tree_.add_below(levels_.back().node, work.planned.begin(), work.planned.size());
  base_ = static_cast<uint32_t>(levels_.size()) - work.is_whole_state;
  has_plan_ = !work.planned.empty();
}

uint32_t ReducedSearch::states_to_share(uint32_t most_steps) const {
  // Every state that is published, and every one before the work begins (W2), is in all copies of
  // the tree and looked at whenever somebody looks for work.
  constexpr uint32_t kMostStates = 256;
  for (uint32_t i = 0; i < kMostStates && base_ + i + 1 < levels_.size(); ++i) {
    const WakeupTree::Node child = tree_.first_child(levels_[base_ + i].node);
    WakeupTree::Node waiting = tree_.next(child);
    for (uint32_t steps = 0; waiting != kNone && steps < most_steps; ++steps) {
      if (tree_.dependent(tree_.step(waiting), tree_.step(child))) return i + 1;
      waiting = tree_.first_child(waiting);
    }
  }
  return 0;
}

void ReducedSearch::hand_over_first(PublishedState& to) {
  Level& level = levels_[base_];
  const WakeupTree::Node child = tree_.first_child(level.node);
  to.step = tree_.step(level.node);
  to.child = tree_.step(child);
  to.asleep.clear();
  for (WakeupTree::Node n = level.sleep; n != kNone; n = tree_.next(n)) {
    to.asleep.push_back(tree_.step(n));
  }
  to.waiting.clear();
  tree_.list_from(tree_.next(child), to.waiting);
  tree_.remove_other_children(level.node);
  ++base_;
}

void ReducedSearch::begin_run() {
  events_.clear();
  elsewhere_.clear();
  steps_elsewhere_.clear();
  is_sleep_blocked_ = has_retracted_ = false;
  repeated_ = static_cast<uint32_t>(levels_.size()) - 1;
}

void ReducedSearch::stop(Trouble trouble) {
  if (trouble_ != Trouble::none) return;
  trouble_ = trouble;
  trouble_at_ = events_.size();
}

// Asleep is a thread all of whose choices that begin with `path` are; otherwise `path` is the first
// of them that is not.
bool ReducedSearch::is_asleep(const Level& level, Thread thread, ChoicePath* path) {
  const uint32_t length = paths_.length(*path);
  uint32_t alternatives = 0;
  for (WakeupTree::Node member = level.sleep; member != kNone; member = tree_.next(member)) {
    const Step& step = tree_.step(member);
    if (step.thread != thread || !paths_.agree(step.path, *path)) continue;
    if (paths_.length(step.path) <= length) return true;
    alternatives = paths_.alternatives(paths_.beginning(step.path, length + 1));
  }
  const ChoicePath before = *path;
  for (uint32_t taken = 0; taken < alternatives; ++taken) {
    *path = paths_.extended(before, taken, alternatives);
    if (!is_asleep(level, thread, path)) return false;
  }
  return alternatives != 0;
}

// Nothing is planned: the current thread goes on if it may, for few switches.
Step ReducedSearch::fresh_step(const Thread* enabled, uint32_t count, Thread current) {
  const Level& level = levels_[events_.size()];
  Step found = {kNone, kNoChoice, 0};
  for (uint32_t i = 0; i < count; ++i) {
    if (found.thread != kNone && enabled[i] != current) continue;
    ChoicePath path = kNoChoice;
    if (!is_asleep(level, enabled[i], &path)) found = {enabled[i], path, 0};
  }
  return found;
}

Thread ReducedSearch::next(const Thread* enabled, uint32_t count, Thread current) {
  if (trouble_ != Trouble::none) return kNone;
  const uint32_t depth = events_.size();
  const WakeupTree::Node node = levels_[depth].node;
  while (tree_.first_child(node) != kNone) {
    const Step planned = tree_.step(tree_.first_child(node));
    for (uint32_t i = 0; i < count; ++i) {
      if (enabled[i] == planned.thread) return planned.thread;
    }
    // By now it is known that it does not go on here.
    if (!planned.is_uncertain || depth + 1 < levels_.size()) {
      stop(Trouble::not_enabled);
      return kNone;
    }
    retract(planned.thread);
  }
  if (depth < base_) {  // the work was this one step
    is_sleep_blocked_ = true;
    return kNone;
  }
  const Step step = fresh_step(enabled, count, current);
  if (step.thread == kNone) {
    is_sleep_blocked_ = true;
    has_retracted_ |= !has_plan_ && depth == base_;
    return kNone;
  }
  tree_.append_child(node, step);
  return step.thread;
}

bool ReducedSearch::would_take(Thread thread) {
  if (trouble_ != Trouble::none) return false;
  const Level& level = levels_[events_.size()];
  const WakeupTree::Node planned = tree_.first_child(level.node);
  if (planned != kNone) return tree_.step(planned).thread == thread;
  if (events_.size() < base_) return false;
  ChoicePath path = kNoChoice;
  return !is_asleep(level, thread, &path);
}

uint32_t ReducedSearch::choice(Thread thread, uint32_t i, uint32_t alternatives) const {
  const WakeupTree::Node child = tree_.first_child(levels_[events_.size()].node);
  if (child == kNone || tree_.step(child).thread != thread) return 0;
  const ChoicePath path = tree_.step(child).path;
  const uint32_t planned = i < paths_.length(path) ? paths_.taken(path, i) : 0;
  return planned < alternatives ? planned : 0;  // if not: the program differs, which will show
}

void ReducedSearch::executed(const Action& action) {
  const uint32_t depth = events_.size();
  const WakeupTree::Node node = levels_[depth].node;
  drop_until(action.thread);
  if (tree_.first_child(node) == kNone) tree_.append_child(node, {action.thread, kNoChoice, 0});
  const WakeupTree::Node child = tree_.first_child(node);
  const Footprint footprint = footprints_.of(action.parts, action.part_count);
  ChoicePath path = kNoChoice;
  for (uint32_t i = 0; i < action.choice_count; ++i) {
    path = paths_.extended(path, action.choices[i].taken, action.choices[i].alternatives);
  }
  Step& step = tree_.step(child);
  const bool is_repeated = depth + 1 < levels_.size();
  if (action.thread != step.thread ||
      (is_repeated && (footprint != step.footprint || path != step.path))) {
    stop(Trouble::differs);
  }
  step.footprint = footprint;
  step.path = path;
  if (depth + 1 == base_) {
    first_step_ = step;
    has_first_step_ = true;
  }
  if (!is_repeated) add_level(levels_[depth], child);
  events_.add(action, footprint, path);
  has_retracted_ = false;
}

// In a run that was made elsewhere, plans that could not go on were dropped there.
void ReducedSearch::drop_until(Thread thread) {
  const uint32_t depth = events_.size();
  if (depth + 1 < levels_.size()) return;
  const WakeupTree::Node node = levels_[depth].node;
  for (WakeupTree::Node child; (child = tree_.first_child(node)) != kNone;) {
    const Step planned = tree_.step(child);
    if (planned.thread == thread || !planned.is_uncertain) return;
    retract(planned.thread);
  }
}

void ReducedSearch::gave_up() {
  drop_until(kNone);
  // Somebody who was to go on could not.
  if (tree_.first_child(levels_[events_.size()].node) != kNone) stop(Trouble::not_enabled);
  is_sleep_blocked_ = true;
}

void ReducedSearch::retract(Thread thread) {
  const uint32_t depth = events_.size();
  const WakeupTree::Node node = levels_[depth].node;
  const WakeupTree::Node child = tree_.first_child(node);
  if (child == kNone || tree_.step(child).thread != thread) return;
  // What was executed here before could go on here.
  if (depth + 1 < levels_.size()) return stop(Trouble::differs);
  tree_.remove_first_child(node);
  has_retracted_ = true;
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
  events_.add_missed(action, footprints_.of(action.parts, action.part_count), true);
}

void ReducedSearch::blocked(const Action& action) {
  events_.add_missed(action, footprints_.of(action.parts, action.part_count), false);
}

bool ReducedSearch::end_run() {
  if (trouble_ != Trouble::none) return false;
  if (events_.size() + 1 != levels_.size()) {
    stop(Trouble::differs);  // it ended earlier than the run before did on the same path
    return false;
  }
  const bool is_in_vain = is_sleep_blocked_ && has_retracted_;
  if (!is_in_vain) {
    ++runs_;
    ++runs_of_work_;
    if (is_sleep_blocked_) ++sleep_blocked_runs_;
  }
  plan_reversals();
  plan_choices();
  return backtrack(is_in_vain ? 0 : 1);
}

void ReducedSearch::plan_reversals() {
  events_.order(footprints_);
  reversals_.find(events_, races_);
  races_found_ += races_.size();
  for (const EventPair& race : races_) {
    reversals_.sequence(events_, race, sequence_);
    plan(race.first, race);
  }
}

// Those of events that are repeated were planned by the run before.
void ReducedSearch::plan_choices() {
  for (uint32_t depth = 0; depth < events_.size(); ++depth) {
    if (depth >= base_ && depth < repeated_) continue;
    const RunEvent& event = events_[depth];
    for (uint32_t i = event.action.choice_count; i > 0; --i) {
      const Choice& made = events_.choice(event, i - 1);
      const ChoicePath before = paths_.beginning(event.path, i - 1);
      for (uint32_t other = 0; other < made.alternatives; ++other) {
        if (other == made.taken) continue;
        sequence_.clear();
        sequence_.push_back({event.action.thread, paths_.extended(before, other, made.alternatives),
                             event.footprint});
        plan(depth, {depth, kNone});
      }
    }
  }
}

void ReducedSearch::plan(uint32_t depth, const EventPair& origin) {
  if (depth < base_) {
    elsewhere_.push_back({depth, static_cast<uint32_t>(steps_elsewhere_.size()),
                          static_cast<uint32_t>(sequence_.size())});
    const size_t before = steps_elsewhere_.size();
    steps_elsewhere_.resize(before + sequence_.size());
    for (size_t i = 0; i < sequence_.size(); ++i) steps_elsewhere_[before + i] = sequence_[i];
    return;
  }
  const Level& level = levels_[depth];
  if (is_included(level)) return;
  const WakeupTree::Node added = tree_.insert(level.node, sequence_);
  if (added != kNone && keeps_origins_) note_origin(added, origin);
}

// Is all that begins with sequence_ included in what is asleep? Of a step whose choices are not
// all known, alternatives that are not asleep are planned then.
bool ReducedSearch::is_included(const Level& level) {
  for (WakeupTree::Node member = level.sleep; member != kNone; member = tree_.next(member)) {
    size_t at;
    if (!tree_.can_begin(sequence_, tree_.step(member), &at)) continue;
    return at == sequence_.size() || !leave_sleep(level, at);
  }
  return false;
}

// Makes choices of the step that nobody asleep has made. False: all have been.
bool ReducedSearch::leave_sleep(const Level& level, size_t step) {
  const ChoicePath planned = sequence_[step].path;
  const uint32_t known = paths_.length(planned);
  uint32_t alternatives = 0;
  for (WakeupTree::Node member = level.sleep; member != kNone; member = tree_.next(member)) {
    const Step& asleep = tree_.step(member);
    size_t at;
    if (!tree_.can_begin(sequence_, asleep, &at)) continue;
    if (at != step || paths_.length(asleep.path) <= known) return false;
    alternatives = paths_.alternatives(paths_.beginning(asleep.path, known + 1));
  }
  if (alternatives == 0) return true;
  for (uint32_t taken = 0; taken < alternatives; ++taken) {
    sequence_[step].path = paths_.extended(planned, taken, alternatives);
    if (leave_sleep(level, step)) return true;
  }
  sequence_[step].path = planned;
  return false;
}

void ReducedSearch::note_origin(WakeupTree::Node added, const EventPair& origin) {
  while (origin_of_node_.size() <= added) origin_of_node_.push_back(kNone);
  origin_of_node_[added] = static_cast<uint32_t>(origins_.size());
  origins_.push_back(origin);
}

bool ReducedSearch::backtrack(uint64_t runs_below) {
  tree_.release_list(levels_.pop_back().sleep);
  while (levels_.size() > base_) {
    Level& level = levels_.back();
    level.finished_runs += runs_below;
    ++level.finished_children;
    tree_.push(level.sleep, tree_.step(tree_.first_child(level.node)));
    tree_.remove_first_child(level.node);
    if (const WakeupTree::Node next = tree_.first_child(level.node); next != kNone) {
      // Nodes are used again: what is left of another one is not its own.
      origin_ = kNone;
      if (next < origin_of_node_.size()) std::swap(origin_, origin_of_node_[next]);
      return true;
    }
    runs_below = level.finished_runs;
    tree_.release_list(levels_.pop_back().sleep);
  }
  return false;
}

double ReducedSearch::estimate() const {
  if (levels_.empty()) return static_cast<double>(runs_);
  FinishedShare share;
  uint64_t finished_runs = 0;
  for (const Level& level : levels_) {
    finished_runs += level.finished_runs;
    share.add_level(level.finished_children, tree_.child_count(level.node));
  }
  return share.estimate(finished_runs);
}

}  // namespace jostle::dpor
