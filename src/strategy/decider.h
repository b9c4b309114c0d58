// SPDX-License-Identifier: Apache-2.0
// Who decides a run: given who could run and what each is about to do, pick one.
//
// A decider is a pure algorithm: no system calls, no globals, no memory from the target's heap. It
// sees threads as small numbers (ThreadId) that index arrays, and operations as opaque values with
// a few questions (`races`, `only_reads`). The scheduler asks exactly one decider at a time, and
// asks it directly: compositions of strategies hand one out (strategy.h) and do not stand between.
#pragma once

#include <cstdint>

#include "src/schedule/action_trail.h"
#include "src/schedule/operation.h"
#include "src/strategy/enabled_set.h"
#include "src/strategy/touched_blocks.h"

namespace jostle {

// What a decider may look at when it picks.
struct View {
  const EnabledSet* candidates;  // never empty; threads that only spin are left out if they can be
  ThreadId current;              // who ran last; it may or may not be a candidate
  void* source;
  const Operation* const* operations;  // what threads are about to do, by ThreadId
  uint64_t (*events_of)(void* source, ThreadId);
  uint64_t (*reads_from_of)(void* source) = nullptr;
  uint64_t (*last_write_of)(void* source, ThreadId) = nullptr;
  uint64_t (*path_of)(void* source, ThreadId) = nullptr;
  uint64_t (*value_of)(void* source, ThreadId) = nullptr;
  TouchedBlocks* touched = nullptr;  // null: there are few threads

  // A hash of which reads observed which writes so far, in any order.
  uint64_t reads_from() const { return reads_from_of(source); }
  // The event that last wrote what the thread's pending operation touches.
  uint64_t last_write(ThreadId id) const { return last_write_of(source, id); }
  // Which thread it is, by what is the same in every run: a hash of its spawn path (Event::thread).
  uint64_t path(ThreadId id) const { return path_of(source, id); }
  // What the memory that it touches holds now, up to eight bytes of it.
  uint64_t value(ThreadId id) const { return value_of(source, id); }
  const Operation& pending(ThreadId id) const { return *operations[id]; }
  uint64_t events(ThreadId id) const { return events_of(source, id); }

  // f(id) for the candidates besides `who` and those `left_out` whose operations race with `op`, in
  // ascending order.
  template <typename F>
  void for_each_racing(const Operation& op, ThreadId who, const EnabledSet* left_out, F&& f) const {
    if (op.object == 0) return;
    if (!touched && !left_out) return for_each_racing_of_few(op, who, f);
    const uint64_t bits = TouchedBlocks::bits_of(op.object, op.size);
    for (size_t n = 0; n < candidates->blocks(); ++n) {
      if (touched && !touched->has(n, bits)) continue;
      const uint64_t others = left_out ? left_out->block(n) : 0;
      bool any = others != 0;  // who may race as well
      for (uint64_t left = candidates->block(n) & ~others; left; left &= left - 1) {
        const auto id = static_cast<ThreadId>(n * 64 + static_cast<size_t>(std::countr_zero(left)));
        if (id == who) continue;
        if (touched ? !touched->races(id, op) : !races(op, pending(id))) continue;
        any = true;
        f(id);
      }
      if (touched && !any) touched->found_nothing(n);
    }
  }

  // The same, where that is all there is to look at.
  template <typename F>
  void for_each_racing_of_few(const Operation& op, ThreadId who, F&& f) const {
    const Reach reach(op);
    for (size_t n = 0; n < candidates->blocks(); ++n) {
      for (uint64_t left = candidates->block(n); left; left &= left - 1) {
        const auto id = static_cast<ThreadId>(n * 64 + static_cast<size_t>(std::countr_zero(left)));
        if (id != who && reach.races(*operations[id])) f(id);
      }
    }
  }
};

// A choice that is not about threads: the answer is a number below `alternatives`.
struct Question {
  ChoiceKind kind;
  uint32_t alternatives;  // at least 2
  // What an event loop learns: what is ready, by names that are the same in every run. Null:
  // it has none.
  //   ready   which of them it learns of next; `name_count`, if it `may_stop`: of no more now
  //   late    before that, while a timer is not yet due. 0: the loop learns of them now; 1: of
  //           them and of the timer when it is due; 2, if it is an alternative: then of the timer
  //           alone
  const uint64_t* names = nullptr;
  uint32_t name_count = 0;
  // The answer is known: only a decider that follows a recording is asked, to keep step.
  bool is_settled = false;
  bool is_logged = true;  // a recording has the answer
  // Of memory (is_of_memory): the event of the thread, by its order of creation.
  uint32_t thread = 0;
  uint64_t event = 0;
  // Of a load, with names: it is this abstract event, and they are those of the stores it may read.
  uint64_t read = 0;

  bool may_stop() const { return alternatives > name_count; }
};

struct RunStart {
  uint64_t seed = 0;
  // Time-outs strike only when nobody else can run or enough time has passed, as they do on an idle
  // machine.
  bool patient = false;
};

// The first runs of a campaign are patient.
inline constexpr uint64_t kPatientRuns = 16;

class Decider {
 public:
  virtual ~Decider() = default;
  // A new run begins; all state that is not meant to last over the campaign starts afresh.
  virtual void begin(const RunStart& start) = 0;
  // Which of the candidates runs next. Called when there are at least two, with a trail (Manner)
  // also for one. kNoThread: the decider
  // wants the run to end here.
  virtual ThreadId pick(const View& view) = 0;
  virtual uint32_t choose(const Question& question) = 0;
  // `id` has been picked (or was the only one) and executes `op` now.
  virtual void executed(const View& /*view*/, ThreadId /*id*/, const Operation& /*op*/) {}
  virtual void thread_created(ThreadId /*parent*/, ThreadId /*child*/) {}
  // With a trail and weak memory: is that step before the running one because of what the running
  // thread has done so far, and of what enabled it?
  virtual bool is_before_running(uint32_t /*step*/) { return true; }
  // Guided runs: the event of the thread before which the decider is asked again, even if that is
  // no scheduling point. Asked whenever the thread goes on.
  virtual uint64_t stop_for(ThreadId) const { return UINT64_MAX; }

  // How the run is conducted; settled when `begin` returns.
  struct Manner {
    bool is_guided = false;  // `stop_for` is asked
    bool holds_up = false;   // loops may learn late that their time is up: ChoiceKind::held_up
    // Waits may end without a signal. Not where every schedule is one of those that were asked for.
    bool wakes_spuriously = false;
    // With weak memory: the decider is asked at every load and store what it reads and where it
    // goes. Otherwise a few of a run are drawn (runtime/weak/stale_draw.h), if it lets them.
    bool chooses_stores = false;
    bool lets_draw_stores = false;
    // … and it may want one of the others: it is asked, with names of the stores.
    bool wants_stores = false;
    bool ignores_steps = false;  // `executed` does nothing: it need not be called
    // Nobody gets a turn out of fairness: threads change only where the decider wants it.
    bool is_serial = false;
    // What the run does is written here. Nobody else decides: threads get no turns out of fairness,
    // and time-outs strike only when nobody can go on.
    ActionTrail* trail = nullptr;
  };
  const Manner& manner() const { return manner_; }

 protected:
  Manner manner_;
};

}  // namespace jostle
