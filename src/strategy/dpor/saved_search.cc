// SPDX-License-Identifier: Apache-2.0
// A reduced search as bytes, and back. Steps are written with the names of their thread and objects
// and with their choices, so that the numbers of the one who reads may be others.
#include "src/strategy/dpor/reduced_search.h"

namespace jostle::dpor {

namespace {

// An act whose mode this is.
Act act_of_mode(Mode mode) {
  return mode == Mode::read ? Act::read : mode == Mode::add ? Act::post : Act::write;
}

}  // namespace

void ReducedSearch::write_step(ByteWriter& to, const ThreadNames& threads, const Step& step) const {
  to.name(threads.name_of(step.thread));
  to.number(step.is_await);
  const uint32_t choices = paths_.length(step.path);
  to.number(choices);
  for (uint32_t i = 0; i < choices; ++i) {
    to.number(paths_.taken(step.path, i));
    to.number(paths_.alternatives(paths_.beginning(step.path, i + 1)));
  }
  const uint32_t touches = footprints_.touch_count(step.footprint);
  to.number(touches);
  for (uint32_t i = 0; i < touches; ++i) {
    const Touch& touch = footprints_.touches(step.footprint)[i];
    to.name(footprints_.object_name(touch.object));
    to.number(static_cast<uint8_t>(touch.mode));
  }
}

Step ReducedSearch::read_step(ByteReader& from, ThreadNames& threads) {
  Step step = {};
  const uint64_t name = from.name();
  if (from.is_good()) step.thread = threads.thread_of(name);
  step.is_await = from.number(1) != 0;
  step.path = kNoChoice;
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const auto taken = static_cast<uint32_t>(from.number(UINT32_MAX));
    const auto alternatives = static_cast<uint32_t>(from.number(UINT32_MAX));
    step.path = paths_.extended(step.path, taken, alternatives);
  }
  parts_.clear();
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const uint64_t object = from.name();
    const auto mode = static_cast<Mode>(from.number(static_cast<uint8_t>(Mode::write)));
    parts_.push_back({object, act_of_mode(mode)});
  }
  step.footprint = footprints_.of(parts_.begin(), static_cast<uint32_t>(parts_.size()));
  return step;
}

// Of each level its sleep set, the step that leads to the next, and the steps that wait.
void ReducedSearch::write(ByteWriter& to, const ThreadNames& threads) {
  to.number(runs_);
  to.number(sleep_blocked_runs_);
  to.number(runs_in_vain_);
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
      write_step(to, threads, tree_.step(n));
    }
    WakeupTree::Node waiting = tree_.first_child(level.node);
    if (depth + 1 < levels_.size()) {
      write_step(to, threads, tree_.step(waiting));
      waiting = tree_.next(waiting);
    }
    planned_.clear();
    tree_.list_from(waiting, planned_);
    to.number(planned_.size());
    for (const WakeupTree::Planned& each : planned_) {
      to.number(each.depth);
      write_step(to, threads, each.step);
    }
  }
}

bool ReducedSearch::read_level(ByteReader& from, ThreadNames& threads, bool is_last) {
  Level& level = levels_.back();
  level.finished_children = static_cast<uint32_t>(from.number(UINT32_MAX));
  level.finished_runs = from.number();
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    tree_.push(level.sleep, read_step(from, threads));
  }
  WakeupTree::Node next = kNone;
  if (!is_last) next = tree_.append_child(level.node, read_step(from, threads));
  planned_.clear();
  uint64_t deepest = 1;
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const auto depth = static_cast<uint32_t>(from.number(deepest));
    if (depth == 0) return false;
    deepest = depth + uint64_t{1};
    planned_.push_back({read_step(from, threads), depth});
  }
  tree_.add_below(level.node, planned_.begin(), planned_.size());
  if (!is_last) levels_.push_back({next, kNone, 0, 0});
  return from.is_good();
}

bool ReducedSearch::read(ByteReader& from, ThreadNames& threads) {
  restart();
  runs_ = from.number();
  sleep_blocked_runs_ = from.number();
  runs_in_vain_ = from.number();
  races_found_ = from.number();
  uint32_t left = from.count();
  bool is_good = left > 0;
  for (; is_good && left > 0; --left) is_good = read_level(from, threads, left == 1);
  if (!is_good) restart();
  return is_good;
}

}  // namespace jostle::dpor
