// The scheduler that steers a run towards an abstract schedule (RFF, section 4.2).
//
// Threads whose next operation helps a constraint are favoured, those whose next operation would
// spoil one are held back, and among equals partial order sampling decides. Nobody is held back
// when there is nobody else to run, so that no run gets stuck, nor for ever.
#pragma once

#include "src/schedule/hub.h"
#include "src/strategy/scores.h"
#include "src/strategy/strategy.h"

namespace jostle {

class ProactiveScheduler {
 public:
  void begin(const AbstractSchedule& schedule) {
    schedule_ = schedule;
    met_ = 0;
    picks_ = 0;
    scores_.clear();
  }

  ThreadId pick(const View& view, Rng& rng) {
    const bool steers = schedule_.count && (picks_++ & kStretch) == 0;
    if (steers) note_pending(view);
    ThreadId best = kNoThread;
    int best_tier = 0;
    uint64_t best_score = 0;
    view.candidates->for_each([&](ThreadId id) {
      const int tier = steers ? tier_of(view, id) : 0;
      const uint64_t score = scores_.of(id, rng);
      if (best == kNoThread || tier > best_tier || (tier == best_tier && score > best_score)) {
        best = id;
        best_tier = tier;
        best_score = score;
      }
    });
    if (steers) note_met(view, best);
    return best;
  }

  void executed(const View& view, ThreadId id, const Operation& op, Rng& rng) {
    scores_.executed(view, id, op, rng);
  }

 private:
  // Threads that only wake each other could go on for ever while the one that would end it is held
  // back: every other stretch of so many decisions is not steered.
  static constexpr uint64_t kStretch = 4096;

  // 1: helps a constraint; -1: would spoil one; 0: neither, or both.
  int tier_of(const View& view, ThreadId id) const {
    const Operation& op = view.pending(id);
    if (op.name == 0) return 0;
    bool favoured = false, held = false;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.location != op.name || (met_ >> i & 1)) continue;
      const bool is_read = observes(op.kind) && read_event(op.name, op.site) == constraint.read;
      const bool writes = may_change(op.kind);
      const bool is_write = writes && write_event(op.name, op.site) == constraint.write;
      const bool is_last = view.last_write(id) == constraint.write;
      if (constraint.negative) {
        favoured |= is_last ? writes && !is_write : is_read;
        held |= is_last ? is_read : is_write;
      } else {
        // The write must be the last one when the read comes: not before that is about to.
        const bool now = pending_ >> i & 1;
        favoured |= is_last ? is_read : is_write && now;
        held |= is_last ? writes && !is_write && !is_read : is_read || (is_write && !now);
      }
    }
    return static_cast<int>(favoured) - static_cast<int>(held);
  }

  // Whose reads are about to happen?
  void note_pending(const View& view) {
    pending_ = 0;
    view.candidates->for_each([&](ThreadId id) {
      const Operation& op = view.pending(id);
      for (uint32_t i = 0; i < schedule_.count; ++i) {
        const Constraint& constraint = schedule_.constraints[i];
        if (constraint.location != op.name || !observes(op.kind)) continue;
        if (read_event(op.name, op.site) == constraint.read) pending_ |= uint32_t{1} << i;
      }
    });
  }

  // A positive constraint that has been met once is of no interest any more.
  void note_met(const View& view, ThreadId id) {
    const Operation& op = view.pending(id);
    if (op.name == 0 || !observes(op.kind)) return;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.negative || constraint.location != op.name) continue;
      if (read_event(op.name, op.site) != constraint.read) continue;
      if (view.last_write(id) == constraint.write) met_ |= uint32_t{1} << i;
    }
  }

  AbstractSchedule schedule_;
  uint32_t met_ = 0, pending_ = 0;  // bits of constraints
  uint64_t picks_ = 0;
  Scores scores_;
};

}  // namespace jostle
