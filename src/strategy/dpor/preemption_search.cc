// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/preemption_search.h"

#include "src/base/hash.h"
#include "src/strategy/dpor/work/finished_share.h"

namespace jostle::dpor {

namespace {

bool contains(const Thread* list, size_t count, Thread thread) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i] == thread) return true;
  }
  return false;
}

}  // namespace

void PreemptionSearch::restart() {
  footprints_.clear();
  paths_.clear();
  order_.clear();
  has_uncertain_ = false;
  begin_anew();
  has_begun_anew_ = false;
}

// What is known of objects stays.
void PreemptionSearch::begin_anew() {
  levels_.clear();
  others_.clear();
  known_.clear();
  known_table_.clear();
  was_cut_ = false;
  trouble_ = Trouble::none;
  executions_ = runs_made_ = 0;
  has_begun_anew_ = true;
}

void PreemptionSearch::begin_run() {
  if (!questions_) {
    void* memory = map_shared_engine_memory(sizeof(Questions));
    questions_ = static_cast<Questions*>(memory ? memory : engine_allocate(sizeof(Questions)));
  }
  questions_->count = 0;
  questions_->is_full = false;
  read_ = 0;
  order_.begin_run();
  retracted_.clear();
  is_given_up_ = has_begun_anew_ = false;
}

void PreemptionSearch::stop(Trouble trouble) {
  if (trouble_ != Trouble::none) return;
  trouble_ = trouble;
  trouble_at_ = order_.size();
}

void PreemptionSearch::ask(uint32_t depth, const Thread* enabled, uint32_t count, Thread current) {
  Questions& all = *questions_;
  if (all.count + count + 3 > Questions::kMost) {
    all.is_full = true;
    return;
  }
  all.words[all.count++] = depth;
  all.words[all.count++] = current;
  all.words[all.count++] = count;
  for (uint32_t i = 0; i < count; ++i) all.words[all.count++] = enabled[i];
}

uint32_t PreemptionSearch::left_at(uint32_t depth) const {
  if (depth == 0) return bound_;
  const Level& above = levels_[depth - 1];
  return above.left - (above.current != kNone && above.thread != above.current);
}

Thread PreemptionSearch::next(const Thread* enabled, uint32_t count, Thread current) {
  if (trouble_ != Trouble::none || is_given_up_) return kNone;
  const uint32_t depth = order_.size();
  if (depth < levels_.size()) {
    Level& level = levels_[depth];
    while (!contains(enabled, count, level.thread)) {
      // By now it is known that it does not go on here.
      if (!has_uncertain_ || depth + 1 < levels_.size()) {
        stop(Trouble::not_enabled);
        return kNone;
      }
      if (!take_other(level)) {
        is_given_up_ = true;
        return kNone;
      }
    }
    return level.thread;
  }
  if (!contains(enabled, count, current)) current = kNone;
  if (is_known(current, left_at(depth))) {
    is_given_up_ = true;
    return kNone;
  }
  ask(depth, enabled, count, current);
  return current != kNone ? current : enabled[0];
}

bool PreemptionSearch::would_take(Thread thread) const {
  // Elsewhere it has to be asked who else could.
  return trouble_ == Trouble::none && !is_given_up_ && order_.size() < levels_.size() &&
         levels_[order_.size()].thread == thread;
}

uint32_t PreemptionSearch::choice(Thread thread, uint32_t i, uint32_t alternatives) const {
  if (order_.size() >= levels_.size() || levels_[order_.size()].thread != thread) return 0;
  const ChoicePath path = levels_[order_.size()].path;
  const uint32_t planned = i < paths_.length(path) ? paths_.taken(path, i) : 0;
  return planned < alternatives ? planned : 0;  // if not: the program differs, which will show
}

// The first time that a run comes here: with the answer to the last question at this depth.
void PreemptionSearch::add_level(Thread thread) {
  const uint32_t depth = order_.size();
  Level level = {kNone, left_at(depth), thread, kNoChoice, 0, false, 0, 0, 0};
  level.first_other = static_cast<uint32_t>(others_.size());
  const Questions& all = *questions_;
  bool is_asked = false;
  while (read_ + 3 <= all.count && all.words[read_] <= depth) {
    const uint32_t count = all.words[read_ + 2];
    if (all.words[read_] == depth) {
      is_asked = true;
      level.current = all.words[read_ + 1];
      others_.resize(level.first_other);
      for (uint32_t i = 0; i < count; ++i) {
        const Thread other = all.words[read_ + 3 + i];
        if (other == thread || contains(retracted_.begin(), retracted_.size(), other)) continue;
        others_.push_back(other);
      }
    }
    read_ += 3 + count;
  }
  if (contains(retracted_.begin(), retracted_.size(), level.current)) level.current = kNone;
  level.other_count = static_cast<uint32_t>(others_.size()) - level.first_other;
  if (is_asked) note_known(level.current, level.left);
  levels_.push_back(level);
}

void PreemptionSearch::executed(const Action& action) {
  const uint32_t depth = order_.size();
  const bool is_repeated = depth + 1 < levels_.size();
  if (depth == levels_.size()) add_level(action.thread);
  Level& level = levels_[depth];
  const Footprint footprint = footprints_.of(action.parts, action.part_count);
  ChoicePath path = kNoChoice;
  for (uint32_t i = 0; i < action.choice_count; ++i) {
    path = paths_.extended(path, action.choices[i].taken, action.choices[i].alternatives);
  }
  // Those in between were found not to go on, in a run that was made elsewhere.
  while (!is_repeated && has_uncertain_ && level.thread != action.thread && take_other(level)) {
  }
  if (action.thread != level.thread ||
      (is_repeated && (footprint != level.footprint || path != level.path))) {
    stop(Trouble::differs);
  }
  level.footprint = footprint;
  level.path = path;
  for (uint32_t i = 0; i < action.part_count; ++i) has_uncertain_ |= may_block(action.parts[i].act);
  order_.add(action, footprint, path);
  retracted_.clear();
}

void PreemptionSearch::retract(Thread thread) {
  const uint32_t depth = order_.size();
  has_uncertain_ = true;
  retracted_.push_back(thread);
  if (depth >= levels_.size() || levels_[depth].thread != thread) return;
  // What was executed here before could go on here.
  if (depth + 1 < levels_.size()) return stop(Trouble::differs);
  if (!take_other(levels_[depth])) is_given_up_ = true;
}

void PreemptionSearch::missed(const Action& action) {
  for (uint32_t i = 0; i < action.part_count; ++i) has_uncertain_ |= may_block(action.parts[i].act);
  order_.add_missed(action, footprints_.of(action.parts, action.part_count));
}

bool PreemptionSearch::end_run() {
  has_begun_anew_ = false;
  if (trouble_ != Trouble::none) return false;
  if (order_.has_learned()) {
    begin_anew();
    return true;
  }
  // The last level may have had nobody who goes on after all.
  if (order_.size() < levels_.size() && (!is_given_up_ || order_.size() + 1 < levels_.size())) {
    stop(Trouble::differs);  // it ended earlier than the run before did on the same path
    return false;
  }
  if (questions_->is_full) {
    stop(Trouble::too_long);
    return false;
  }
  ++runs_made_;
  if (!is_given_up_ && known(key_of(kNone)) == 0) {
    note(key_of(kNone), bound_);
    ++executions_;
  }
  return backtrack();
}

bool PreemptionSearch::backtrack() {
  if (order_.size() < levels_.size()) pop_level();
  while (!levels_.empty()) {
    Level& level = levels_.back();
    ++level.finished_children;
    if (level.thread == level.current) {
      level.is_contended |= order_.is_contended(level.footprint);
    }
    if (advance(level)) return true;
    pop_level();
  }
  return false;
}

void PreemptionSearch::pop_level() {
  others_.resize(levels_.back().first_other);
  levels_.pop_back();
}

bool PreemptionSearch::advance(Level& level) {
  if (take_other_path(level)) return true;
  if (level.other_count != 0 && !may_switch(level)) {
    was_cut_ |= level.is_contended;
    return false;
  }
  return take_other(level);
}

bool PreemptionSearch::take_other_path(Level& level) {
  for (uint32_t length = paths_.length(level.path); length > 0; --length) {
    const ChoicePath path = paths_.beginning(level.path, length);
    const uint32_t other = paths_.taken(path, length - 1) + 1;
    const uint32_t alternatives = paths_.alternatives(path);
    if (other == alternatives) continue;
    level.path = paths_.extended(paths_.beginning(path, length - 1), other, alternatives);
    return true;
  }
  return false;
}

bool PreemptionSearch::may_switch(const Level& level) const {
  return level.current == kNone || (level.is_contended && level.left > 0);
}

bool PreemptionSearch::take_other(Level& level) {
  if (level.other_count == 0) return false;
  level.thread = others_[level.first_other + --level.other_count];
  level.path = kNoChoice;
  return true;
}

uint64_t PreemptionSearch::key_of(Thread current) const {
  return combine(order_.identity(), uint64_t{current} + 1);
}

uint32_t PreemptionSearch::known(uint64_t key) const {
  const uint32_t found = known_table_.find(key, [&](uint32_t i) { return known_[i].key == key; });
  return found == IndexTable::kNotThere ? 0 : known_[found].left + 1;
}

void PreemptionSearch::note(uint64_t key, uint32_t left) {
  const uint32_t found = known_table_.find(key, [&](uint32_t i) { return known_[i].key == key; });
  if (found != IndexTable::kNotThere) {
    if (known_[found].left < left) known_[found].left = left;
    return;
  }
  known_.push_back({key, left});
  known_table_.add(static_cast<uint32_t>(known_.size()) - 1,
                   [this](uint32_t i) { return known_[i].key; });
}

// Under kNone: what is left to any schedule that comes there, whatever its current thread.
bool PreemptionSearch::is_known(Thread current, uint32_t left) const {
  return known(key_of(kNone)) > left || (current != kNone && known(key_of(current)) > left);
}

void PreemptionSearch::note_known(Thread current, uint32_t left) {
  if (current != kNone) note(key_of(current), left);
  if (current == kNone || left > 0) note(key_of(kNone), current == kNone ? left : left - 1);
}

double PreemptionSearch::estimate() const {
  if (levels_.empty()) return static_cast<double>(executions_);
  FinishedShare finished;
  for (const Level& level : levels_) {
    const bool may =
        level.current == kNone ||
        (level.left > 0 && (level.is_contended || order_.is_contended(level.footprint)));
    finished.add_level(level.finished_children, 1 + (may ? level.other_count : 0));
  }
  return finished.estimate(executions_);
}

}  // namespace jostle::dpor
