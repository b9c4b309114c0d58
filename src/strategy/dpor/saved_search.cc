// SPDX-License-Identifier: Apache-2.0
// A reduced search as bytes, and back.
#include "src/strategy/dpor/reduced_search.h"
#include "src/strategy/dpor/work/step_bytes.h"

namespace jostle::dpor {

// Of each level its sleep set, the step that leads to the next, and the steps that wait.
void ReducedSearch::write(ByteWriter& to, const ThreadNames& threads) {
  const StepBytes steps(&footprints_, &paths_);
  to.number(runs_);
  to.number(sleep_blocked_runs_);
  to.number(races_found_);
  to.number(levels_.size());
  for (size_t depth = 0; depth < levels_.size(); ++depth) {
    const Level& level = levels_[depth];
    to.number(level.finished_children);
    to.number(level.finished_runs);
    uint32_t sleepers = 0;
    for (WakeupTree::Node n = level.sleep; n != kNone; n = tree_.next(n)) ++sleepers;
    to.number(sleepers);
    for (WakeupTree::Node n = level.sleep; n != kNone; n = tree_.next(n)) {
      steps.write(to, threads, tree_.step(n));
    }
    WakeupTree::Node waiting = tree_.first_child(level.node);
    if (depth + 1 < levels_.size()) {
      steps.write(to, threads, tree_.step(waiting));
      waiting = tree_.next(waiting);
    }
    planned_.clear();
    tree_.list_from(waiting, planned_);
    steps.write(to, threads, planned_);
  }
}

bool ReducedSearch::read_level(ByteReader& from, ThreadNames& threads, bool is_last) {
  const StepBytes steps(&footprints_, &paths_);
  Level& level = levels_.back();
  level.finished_children = static_cast<uint32_t>(from.number(UINT32_MAX));
  level.finished_runs = from.number();
  sequence_.clear();
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    sequence_.push_back(steps.read(from, threads, parts_));
  }
  // In the order in which they were: a search that is written again has the same bytes.
  for (size_t left = sequence_.size(); left > 0; --left) {
    tree_.push(level.sleep, sequence_[left - 1]);
  }
  WakeupTree::Node next = kNone;
  if (!is_last) next = tree_.append_child(level.node, steps.read(from, threads, parts_));
  if (!steps.read(from, threads, parts_, planned_)) return false;
  tree_.add_below(level.node, planned_.begin(), planned_.size());
  if (!is_last) levels_.push_back({next, kNone, 0, 0});
  return from.is_good();
}

bool ReducedSearch::read(ByteReader& from, ThreadNames& threads) {
  restart();
  runs_ = from.number();
  sleep_blocked_runs_ = from.number();
  races_found_ = from.number();
  uint32_t left = from.count();
  bool is_good = left > 0;
  for (; is_good && left > 0; --left) is_good = read_level(from, threads, left == 1);
  if (!is_good) restart();
  return is_good;
}

bool ReducedSearch::read_work(ByteReader& from, ThreadNames& threads) {
  const auto base = static_cast<uint32_t>(from.number(UINT32_MAX));
  if (!read(from, threads)) return false;
  if (base >= levels_.size()) {
    restart();
    return false;
  }
  base_ = base;
  return true;
}

}  // namespace jostle::dpor
