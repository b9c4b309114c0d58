// The scheduler that steers a run towards an abstract schedule (RFF, section 4.2).
//
// Threads whose next operation helps a constraint are favoured, those whose next operation would
// spoil one are held back, and among equals partial order sampling decides. Nobody is held back
// when there is nobody else to run, so that no run gets stuck, nor for ever.
#pragma once

#include "src/schedule/hub.h"
#include "src/strategy/event_registry.h"
#include "src/strategy/scores.h"
#include "src/strategy/strategy.h"

namespace jostle {

class ProactiveScheduler {
 public:
  struct Manner {
    bool leads;     // threads that are on their way to a constraint go first, too
    bool persists;  // a constraint is to be met again and again, each time by a new write
  };
  void begin(const AbstractSchedule& schedule, const EventRegistry& events, Manner manner) {
    schedule_ = schedule;
    met_ = last_ = consumed_ = 0;
    enters_ = false;
    manner_ = manner;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      entries_[i] = events.entries_of(schedule_.constraints[i]);
      enters_ |= entries_[i].read || entries_[i].write || entries_[i].other_count;
      const Constraint& constraint = schedule_.constraints[i];
      ways_[i] = {events.thread_of(constraint.read), events.thread_of(constraint.write)};
      if (constraint.write == initial_write(constraint.location)) last_ |= uint32_t{1} << i;
    }
    picks_ = 0;
    scores_.clear();
  }

  ThreadId pick(const View& view, Rng& rng) {
    const bool steers = schedule_.count && (picks_++ & kStretch) == 0;
    if (steers) note_pending(view);
    const uint64_t first = steers && manner_.leads ? who_leads() : 0;
    ThreadId best = kNoThread;
    int best_tier = 0;
    uint64_t best_score = 0;
    view.candidates->for_each([&](ThreadId id) {
      const int tier = steers ? 2 * tier_of(view, id) + (first && view.path(id) == first) : 0;
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

  void observed(const Event& event, bool writes) {
    if (!writes) return;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.location != event.name) continue;
      const uint32_t bit = uint32_t{1} << i;
      const bool is_write = write_event(event.name, event.site) == constraint.write;
      last_ = is_write ? last_ | bit : last_ & ~bit;
      if (is_write) consumed_ &= ~bit;
    }
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
    if (enters_ && takes_lock(op.kind)) judge_entry(op, favoured, held);
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.location != op.name || (met_ >> i & 1)) continue;
      const bool is_read = observes(op.kind) && read_event(op.name, op.site) == constraint.read;
      const bool writes = may_change(op.kind);
      const bool is_write = writes && write_event(op.name, op.site) == constraint.write;
      const bool is_last = view.last_write(id) == constraint.write && !(consumed_ >> i & 1);
      if (constraint.negative) {
        favoured |= is_last ? writes && !is_write && !is_read : is_read;
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

  // The thread that gets nearest to the next constraint: the one that is to read until it is about
  // to, then the one that is to write. 0: none in particular.
  uint64_t who_leads() const {
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      if (schedule_.constraints[i].negative || (met_ >> i & 1)) continue;
      if (!ways_[i].reader || !ways_[i].writer) continue;
      return pending_ >> i & 1 ? ways_[i].writer : ways_[i].reader;
    }
    return 0;
  }

  // A critical section is judged by what is to happen in there: once inside, it is too late.
  void judge_entry(const Operation& op, bool& favoured, bool& held) const {
    const uint64_t entry = read_event(op.name, op.site);
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      if (met_ >> i & 1) continue;
      const EventRegistry::Entries& ways = entries_[i];
      const bool to_read = ways.read == entry, to_write = ways.write == entry;
      const bool to_other = ways.leads_to_other(entry);
      const bool is_last = (last_ & ~consumed_) >> i & 1;
      if (schedule_.constraints[i].negative) {
        favoured |= is_last ? to_other : to_read;
        held |= is_last ? to_read : to_write;
      } else {
        const bool now = pending_ >> i & 1;
        favoured |= is_last ? to_read : to_write && now;
        held |= is_last ? to_other : to_read || (to_write && !now);
      }
    }
  }

  // Whose reads are about to happen?
  void note_pending(const View& view) {
    pending_ = 0;
    view.candidates->for_each([&](ThreadId id) {
      const Operation& op = view.pending(id);
      for (uint32_t i = 0; i < schedule_.count; ++i) {
        const Constraint& constraint = schedule_.constraints[i];
        if (!observes(op.kind)) continue;
        const uint64_t event = read_event(op.name, op.site);
        if (event == constraint.read || event == entries_[i].read) pending_ |= uint32_t{1} << i;
      }
    });
  }

  // A positive constraint that has been met is of no interest any more, or not before there is
  // another write.
  void note_met(const View& view, ThreadId id) {
    const Operation& op = view.pending(id);
    if (op.name == 0 || !observes(op.kind)) return;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.negative || constraint.location != op.name) continue;
      if (read_event(op.name, op.site) != constraint.read) continue;
      if (view.last_write(id) != constraint.write) continue;
      const bool may_come_again =
          manner_.persists && constraint.write != initial_write(constraint.location);
      (may_come_again ? consumed_ : met_) |= uint32_t{1} << i;
    }
  }

  AbstractSchedule schedule_;
  EventRegistry::Entries entries_[kMostConstraints];
  struct Ways {
    uint64_t reader, writer;  // threads; 0: several, or unknown
  };
  Ways ways_[kMostConstraints];
  Manner manner_ = {};
  bool enters_ = false;
  // Bits of constraints; last_: its write is the last one of its location; consumed_: and has been
  // observed.
  uint32_t met_ = 0, pending_ = 0, last_ = 0, consumed_ = 0;
  uint64_t picks_ = 0;
  Scores scores_;
};

}  // namespace jostle
