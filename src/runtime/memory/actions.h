// SPDX-License-Identifier: Apache-2.0
// Writes down what a run does, step by step, for a strategy that has to know whether the order of
// two steps matters (schedule/action_trail.h). Nobody asks: a test of one variable per hook.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/action_trail.h"

namespace jostle::rt {

struct Thread;

class Actions {
 public:
  // Null: nobody wants to know about this run.
  void begin_run(ActionTrail* trail);
  bool active() const { return trail_ != nullptr; }
  // The rest: only while active.

  // The running step is over: what it wrote is there, and nobody else has run since.
  void settle();
  // The thread executes its pending operation now.
  void step(Thread& thread);
  // What the operation by itself does to memory and the world outside; synchronisation is what the
  // hooks say.
  void operation(OpKind kind, uintptr_t object, uint32_t size, uintptr_t pc);
  // Its last access was a compare-exchange, whose operand may have been there or not. `only_read`:
  // it was, and the exchange failed all the same.
  void compared(uintptr_t address, uint64_t expected, bool stored, bool only_read);
  // A compare-exchange that failed left what it found here: its loop has got on, unless this is
  // part of the state that is compared, the thread's own stack.
  void expects(const void* found);
  // Its last access was an atomic operation with weak memory. `raises`: it has changed what later
  // sequentially consistent ones may read there.
  void weak_access(uintptr_t address, uint32_t size, bool is_sequential, bool raises);
  // It is to be explored which stores are read.
  void explore_stores() { trail_->is_weak = true; }
  bool explores_stores() const { return trail_ && trail_->is_weak; }
  // The running step, by its number in the trail.
  uint32_t running_step() const { return trail_->step_count - 1; }
  void is_graph(uint64_t graph) { trail_->graph = graph; }
  // It acts on an object, which holds `value` before it does (semaphores).
  void act(Act act, const volatile void* object, bool took_effect = true, uint64_t value = 0);
  // It wakes, or finds nobody to wake.
  void signals(Act act, const volatile void* object, const Thread* woken);
  // On what is read and written through descriptors.
  void act_outside(Act act);
  // On what is no memory, by its name.
  void act_apart(Act act, uint64_t name) { add_apart(act, name); }
  // The same in the queue of a futex, which is not the futex itself.
  void enters_queue(const volatile void* word) { act_on_queue(Act::enter, word); }
  void leaves_queue(const volatile void* word) { act_on_queue(Act::leave, word); }
  void wakes_one(const volatile void* word, const Thread* woken);
  void wakes_queue(const volatile void* word, bool anybody);
  void frees(uintptr_t begin, uintptr_t size);
  void chose(ChoiceKind kind, uint32_t alternatives, uint32_t taken);

  // From here on the thread can go on, because of what the running one does.
  void enables(Thread& thread);
  // Nobody can go on, so that time passes: that is what enables, while it is true.
  void time_passes(bool passes) { time_passes_ = passes; }
  // Until when it waits depends on the clock; the clock goes forward because a time-out strikes.
  void looks_at_clock() { add_clock(Act::read); }
  void puts_clock_forward() { add_clock(Act::post); }
  bool time_passes() const { return time_passes_; }
  // The running thread could go on only after all that `other` did.
  void follows(const Thread& other);
  // The running thread cancels this one.
  void cancels(Thread& thread);
  // What it does depends on whether this one was cancelled.
  void looks_for_cancellation(const Thread& thread);
  // It has come out of a wait that is a cancellation point, because it was cancelled or not.
  void ends_cancellable_wait(OpKind kind, bool is_cancelled, bool is_ready);
  // It takes the thread out of those who wait there.
  void expels(const volatile void* object, const Thread& thread);
  // Who does so first ends the program.
  void calls_exit();
  // Handlers of exit run in the reverse order in which they were registered.
  void registers_handler();
  // It is over with what it does now; it asks whether another one is over.
  void ends(const Thread& thread);
  void asks_for_end_of(const Thread& thread);
  void looks_at_end_of(const Thread& thread);
  // It is over, unless it is the last, which ends the program.
  void asks_whether_last(bool is_last);

  // Loops that wait: waiting.cc.
  WaitingLoops& loops() { return trail_->loops; }
  void learned() { trail_->has_learned = true; }
  void blocked() { trail_->is_blocked = true; }
  // A round is left out in which it had locks, or did not get them.
  void left_out(bool had_locks, uint32_t failed_tries) {
    trail_->leaves_out_locks |= had_locks;
    trail_->failed_tries -= failed_tries;
  }
  void endless() { trail_->is_endless = true; }
  // The last step was a round of the thread's loop, which began in this state: it counts for
  // nothing. False: it was more than that.
  bool take_back(const Thread& thread, uint64_t state);

  // A cell of the table of shared memory has become visible.
  void shared(uintptr_t cell);

  void gap(TrailGap why, uintptr_t pc = 0);
  void assume(Assumption what) { trail_->assumptions |= what; }
  // The run is over.
  void finish();

  // Other memory will be there.
  void forget(uintptr_t begin, uintptr_t size);
  // A new thread gets memory that may have been another's.
  void forget_all() { ++names_since_; }

 private:
  struct Known {
    uintptr_t granule;
    uint32_t time;
    uint64_t name;
  };

  void note_left_frames();
  uint64_t name_of(uintptr_t granule);
  TrailPart* add(Act act, uintptr_t address, uint32_t size);
  TrailPart* add_apart(Act act, uint64_t name);
  TrailPart* act_on_queue(Act act, const volatile void* word);
  void wakes(TrailPart* part, const Thread* woken);
  void add_clock(Act act);
  TrailStep* add_waiting(const Thread& thread);
  void add_waiting(const Thread& thread, Act act);
  void access(OpKind kind, uintptr_t address, uint32_t size);
  void boundary(OpKind kind, uint32_t operation);

  ActionTrail* trail_ = nullptr;
  TrailStep* running_ = nullptr;
  bool is_round_ = false;  // it may be one of a loop that waits
  bool time_passes_ = false;
  uint32_t names_since_ = 0;
  Known* known_ = nullptr;
  uintptr_t* addresses_ =
      nullptr;  // of the running step's parts whose value is read when it is over
  uint32_t unread_ = 0;
};

extern JOSTLE_HIDDEN Actions g_actions;

}  // namespace jostle::rt
