// SPDX-License-Identifier: Apache-2.0
// The scheduler that steers a run towards an abstract schedule (RFF, section 4.2).
//
// Threads whose next operation helps a constraint are favoured, those whose next operation would
// spoil one are held back, and among equals partial order sampling decides. Nobody is held back
// when there is nobody else to run, so that no run gets stuck, nor for ever.
#pragma once

#include "src/base/check.h"
#include "src/schedule/hub.h"
#include "src/strategy/rff/event_registry.h"
#include "src/strategy/samplers/scores.h"
#include "src/strategy/strategy.h"

namespace jostle {

class ProactiveScheduler {
 public:
  struct Manner {
    enum class Leads : uint8_t { nobody, reader, writer };
    Leads leads;    // whose thread goes first until it is about to read, or write; then the other
    bool persists;  // a constraint is to be met again and again, each time by a new write
    bool casts;     // of several threads that could read or write one is meant
    bool nests = false;  // who holds a lock waits before it takes another: so cycles of locks close
  };
  using Leads = Manner::Leads;
  void begin(const AbstractSchedule& schedule, const EventRegistry& events, Manner manner,
             Rng& rng) {
    schedule_.count = schedule.count;
    met_ = last_ = consumed_ = locks_ = 0;
    enters_ = false;
    manner_ = manner;
    events_ = &events;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i] = schedule.constraints[i];
      last_writer_[i] = kNobody;
      entries_[i] = events.entries_of(constraint);
      const KnownEvent* read = events.find(constraint.read);
      const bool locks = read && takes_lock(read->kind);
      if (locks) locks_ |= uint32_t{1} << i;
      // Whoever waits inside does no harm to a read that needs no lock: or is it on its way to one?
      if (!entries_[i].read && !locks && rng.below(2) == 0) entries_[i] = {};
      enters_ |= entries_[i].read || entries_[i].write || entries_[i].other_count;
      cast(i, events.threads_of(constraint.read), events.threads_of(constraint.write), rng);
      if (constraint.write == initial_write(constraint.location)) last_ |= uint32_t{1} << i;
    }
    picks_ = 0;
    scores_.clear();
  }

  // The runs that follow are decided by others.
  void rest() {
    schedule_.count = 0;
    manner_ = {};
  }

  ThreadId pick(const View& view, Rng& rng) {
    const bool steers = (schedule_.count || manner_.nests) && (picks_++ & kStretch) == 0;
    if (!steers) return scores_.best(*view.candidates, rng);
    note_pending(view);
    const uint64_t first = who_leads();
    ThreadId best = kNoThread;
    int best_tier = 0;
    uint64_t best_score = 0;
    view.candidates->for_each([&](ThreadId id) {
      const int tier = 2 * tier_of(view, id) + (first != kNobody && view.path(id) == first);
      const uint64_t score = scores_.of(id, rng);
      if (best == kNoThread || tier > best_tier || (tier == best_tier && score > best_score)) {
        best = id;
        best_tier = tier;
        best_score = score;
      }
    });
    JOSTLE_CHECK(view.candidates->contains(best));
    note_met(view, best);
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
      last_writer_[i] = event.thread;
      if (is_write) consumed_ &= ~bit;
    }
  }

  // Weak memory: the load `read` is about to be executed, and may read one of these stores, the
  // first of which is the newest. Which of them a constraint asks for.
  uint32_t wanted_store(uint64_t read, const uint64_t* stores, uint32_t count) {
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.read != read || (met_ >> i & 1)) continue;
      for (uint32_t k = 0; k < count; ++k) {
        if ((stores[k] == constraint.write) == constraint.negative) continue;
        if (!constraint.negative) met_ |= uint32_t{1} << i;
        return k;
      }
    }
    return 0;
  }

  void executed(const View& view, ThreadId id, const Operation& op, Rng& rng) {
    scores_.executed(view, id, op, rng);
  }

 private:
  // Threads that only wake each other could go on for ever while the one that would end it is held
  // back: every other stretch of so many decisions is not steered.
  static constexpr uint64_t kStretch = 4096;
  static constexpr uint64_t kNobody = EventRegistry::kNobody;

  // What a thread wrote itself is not observed: a pair is always of two threads.
  bool is_own(const View& view, ThreadId id, uint32_t constraint) const {
    return last_writer_[constraint] == view.path(id);
  }

  // 1: helps a constraint; -1: would spoil one; 0: neither, or both.
  int tier_of(const View& view, ThreadId id) const {
    const Operation& op = view.pending(id);
    if (op.name == 0) return 0;
    bool favoured = false, held = false;
    if (manner_.nests && takes_lock(op.kind)) held = events_->is_inside(view.path(id));
    if (enters_ && takes_lock(op.kind)) judge_entry(view, id, op, favoured, held);
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      const Constraint& constraint = schedule_.constraints[i];
      if (constraint.location != op.name || (met_ >> i & 1)) continue;
      const bool is_read = observes(op.kind) && read_event(op.name, op.site) == constraint.read &&
                           plays(roles_[i].reader, view, id);
      const bool writes = may_change(op.kind);
      const bool is_write = writes && write_event(op.name, op.site) == constraint.write &&
                            plays(roles_[i].writer, view, id);
      const bool is_last = view.last_write(id) == constraint.write && !(consumed_ >> i & 1) &&
                           !(is_read && is_own(view, id, i));
      if (constraint.negative) {
        const bool now = manner_.leads == Leads::nobody || ((about_ | locks_) >> i & 1);
        favoured |= is_last ? writes && !is_write && !is_read : is_read && now;
        held |= is_last ? is_read : is_write || (is_read && !now);
      } else {
        // The write must be the last one when the read comes: not before that is about to.
        const bool now = pending_ >> i & 1;
        favoured |= is_last ? is_read : is_write && now;
        held |= is_last ? writes && !is_write && !is_read : is_read || (is_write && !now);
      }
    }
    return static_cast<int>(favoured) - static_cast<int>(held);
  }

  // The thread that gets nearest to the next constraint.
  uint64_t who_leads() const {
    if (manner_.leads == Leads::nobody) return kNobody;
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      if (met_ >> i & 1) continue;
      const Roles& ways = ways_[i];
      const bool reads = pending_ >> i & 1, writes = about_ >> i & 1;
      if (schedule_.constraints[i].negative) {
        if (!writes && !(locks_ >> i & 1)) return ways.writer;
      } else if (ways.reader != kNobody && ways.writer != kNobody) {
        if (manner_.leads == Leads::writer && !writes) return ways.writer;
        return reads ? ways.writer : ways.reader;
      }
    }
    return kNobody;
  }

  // Who is to read and who is to write? If the same threads do both, one of them waits for the
  // other: if all of them waited, there would be nobody to wait for.
  void cast(uint32_t constraint, EventRegistry::Threads readers, EventRegistry::Threads writers,
            Rng& rng) {
    Roles& ways = ways_[constraint];
    ways.reader = readers.second == kNobody ? readers.first : kNobody;
    ways.writer = writers.second == kNobody ? writers.first : kNobody;
    roles_[constraint] = {kNobody, kNobody};
    const bool same = readers.second != kNobody &&
                      readers.first + readers.second == writers.first + writers.second;
    if (!manner_.casts || !same) return;
    const bool swap = rng.below(2) == 0;
    ways = {swap ? readers.second : readers.first, swap ? readers.first : readers.second};
    roles_[constraint] = ways;
  }

  static bool plays(uint64_t role, const View& view, ThreadId id) {
    return role == kNobody || role == view.path(id);
  }

  // A critical section is judged by what is to happen in there: once inside, it is too late.
  void judge_entry(const View& view, ThreadId id, const Operation& op, bool& favoured,
                   bool& held) const {
    const uint64_t entry = read_event(op.name, op.site);
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      if (met_ >> i & 1) continue;
      const EventRegistry::Entries& ways = entries_[i];
      const bool to_read = ways.read == entry && plays(roles_[i].reader, view, id);
      const bool to_write = ways.write == entry && plays(roles_[i].writer, view, id);
      const bool to_other = ways.leads_to_other(entry);
      const bool is_last = ((last_ & ~consumed_) >> i & 1) && !(to_read && is_own(view, id, i));
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

  // Which reads and writes are about to happen?
  void note_pending(const View& view) {
    pending_ = about_ = 0;
    view.candidates->for_each([&](ThreadId id) {
      const Operation& op = view.pending(id);
      const bool reads = observes(op.kind), writes = may_change(op.kind);
      if (op.name == 0 || !(reads || writes)) return;
      const uint64_t read = read_event(op.name, op.site);
      for (uint32_t i = 0; i < schedule_.count; ++i) {
        const Constraint& constraint = schedule_.constraints[i];
        const bool here = constraint.location == op.name;
        if (here && writes && write_event(op.name, op.site) == constraint.write &&
            plays(roles_[i].writer, view, id)) {
          about_ |= uint32_t{1} << i;
        }
        if (reads && ((here && read == constraint.read) || read == entries_[i].read) &&
            plays(roles_[i].reader, view, id)) {
          pending_ |= uint32_t{1} << i;
        }
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
      if (view.last_write(id) != constraint.write || is_own(view, id, i)) continue;
      const bool may_come_again =
          manner_.persists && constraint.write != initial_write(constraint.location);
      (may_come_again ? consumed_ : met_) |= uint32_t{1} << i;
    }
  }

  AbstractSchedule schedule_;
  EventRegistry::Entries entries_[kMostConstraints];
  struct Roles {
    uint64_t reader, writer;  // threads
  };
  Roles roles_[kMostConstraints];  // who is meant, and nobody else
  Roles ways_[kMostConstraints];   // who it is, if that is known
  uint64_t last_writer_[kMostConstraints];
  Manner manner_ = {};
  const EventRegistry* events_ = nullptr;
  bool enters_ = false;
  // Bits of constraints; pending_: its read is about to happen; about_: its write is; last_: its
  // write is the last one of its location; consumed_: and has been observed; locks_: the read takes
  // a lock, and who is about to give it back has it.
  uint32_t met_ = 0, pending_ = 0, about_ = 0, locks_ = 0, last_ = 0, consumed_ = 0;
  uint64_t picks_ = 0;
  Scores scores_;
};

}  // namespace jostle
