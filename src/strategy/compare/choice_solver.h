// SPDX-License-Identifier: Apache-2.0
// What the program draws by itself (jostle_choose) is a part of its input: it is solved for as
// inputs are. A run is repeated with one of its draws moved by one; where what is compared moves in
// a straight line, the draw that makes the two sides equal is tried, and a run that comes nearer is
// what further ones go on from. All of them follow the log of the first, so that nothing else
// changes.
#pragma once

#include "src/strategy/compare/comparison_lines.h"
#include "src/strategy/guided/guide.h"

namespace jostle {

class ChoiceSolver {
 public:
  // Makes room for the next task, if there is any.
  bool has_task() {
    while (next_ == tasks_.size() && waiting_ != 0) begin_with(--waiting_);
    return next_ < tasks_.size();
  }

  // The log of the next run; only after has_task().
  void begin(GuideLog& log) {
    task_ = tasks_[next_++];
    log.copy(base_->log);
    log.choices[task_.choice].picked = task_.picked;
  }

  // The run that `begin` was called for is over.
  void after_own_run(const channel::RunRecord& run) {
    note_differences(run, now_);
    if (task_.is_probe) {
      solve();
    } else if (is_nearer()) {
      go_on_from(run);
    }
  }

  // A run whose draws may be solved. It waits for its turn; the newest comes first.
  void go_on_from(const channel::RunRecord& run) {
    if (run.comparison_count == 0 || run.log_overflow) return;
    if (run.schedule.segment_count > kMostSegments || !draws_anything(run.schedule)) return;
    if (waiting_ == kMostBases) {
      Base* oldest = bases_[0];
      for (uint32_t i = 1; i < kMostBases; ++i) bases_[i - 1] = bases_[i];
      bases_[--waiting_] = oldest;
    }
    Base*& base = bases_[waiting_++];
    if (!base) base = new (engine_allocate(sizeof(Base))) Base;
    base->keep(run);
  }

 private:
  struct Base {
    GuideLog log;
    EngineVector<Difference> differences;
    EngineVector<uint32_t> draws;         // which choices of the log
    EngineVector<uint32_t> alternatives;  // that each of them had

    void keep(const channel::RunRecord& run) {
      log.copy(run.schedule);
      note_differences(run, differences);
      draws.clear();
      alternatives.clear();
      for (uint32_t i = 0; i < run.schedule.choice_count && draws.size() < kMostProbed; ++i) {
        if (run.schedule.choices[i].kind != ChoiceKind::target) continue;
        draws.push_back(i);
        alternatives.push_back(run.schedule.choices[i].alternatives);
      }
    }
  };
  struct Task {
    uint32_t choice;  // which of the log
    uint32_t alternatives, picked;
    bool is_probe;
  };
  static constexpr size_t kMostProbed = 16;
  static constexpr uint32_t kMostBases = 8;
  static constexpr size_t kMostTasks = 64;
  static constexpr size_t kMostSegments = 1 << 12;

  static bool draws_anything(const channel::Schedule& schedule) {
    for (uint32_t i = 0; i < schedule.choice_count; ++i) {
      if (schedule.choices[i].kind == ChoiceKind::target) return true;
    }
    return false;
  }

  // What was the base before makes room in its place.
  void begin_with(uint32_t number) {
    Base* before = base_;
    base_ = bases_[number];
    bases_[number] = before;
    tasks_.clear();
    next_ = 0;
    for (size_t i = 0; i < base_->draws.size(); ++i) {
      const uint32_t choice = base_->draws[i], alternatives = base_->alternatives[i];
      const uint32_t picked = base_->log.choices[choice].picked;
      add(choice, alternatives, picked + 1 == alternatives ? picked - 1 : picked + 1, true);
    }
  }

  void solve() {
    const uint32_t before = base_->log.choices[task_.choice].picked;
    solve_lines(base_->differences, now_, int64_t{task_.picked} - before, [&](uint64_t shift) {
      const uint64_t picked = before + shift;
      if (picked < task_.alternatives) add(task_.choice, task_.alternatives, picked, false);
    });
  }

  void add(uint32_t choice, uint32_t alternatives, uint64_t picked, bool is_probe) {
    if (tasks_.size() == kMostTasks) return;
    tasks_.push_back({choice, alternatives, static_cast<uint32_t>(picked), is_probe});
  }

  // Of what was not equal, something is now, and nothing else has come instead.
  bool is_nearer() const {
    if (now_.size() >= base_->differences.size()) return false;
    for (const Difference& is : now_) {
      if (!same_place(base_->differences, is)) return false;
    }
    return true;
  }

  Base* bases_[kMostBases] = {};
  uint32_t waiting_ = 0;  // the first ones of bases_
  Base* base_ = nullptr;  // of the tasks
  EngineVector<Task> tasks_;
  size_t next_ = 0;
  Task task_ = {};
  EngineVector<Difference> now_;
};

}  // namespace jostle
