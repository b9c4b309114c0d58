// SPDX-License-Identifier: Apache-2.0
// The scheduler: one kernel thread, many fibers, one decision at a time.
//
// Every hook turns a call of the target into one Operation and comes here before it executes it:
// `reach` for an operation that can always execute, `wait` for one that may have to wait. The
// thread is then *pending*; the strategy picks among the enabled ones; the one it picks returns
// from `reach` or `wait` and executes its operation at once, alone, until it comes back with the
// next.
//
// State of synchronisation objects lives in the objects themselves (src/runtime/sync). The
// scheduler only knows who is pending on which address (the *parking lot*) and asks their
// ReadyCheck again when somebody says `changed(object)`. So an object has no record to allocate,
// leak or rewind.
//
// A schedule is logged as segments: "thread t runs until its own event n". Nothing enabled and
// somebody waiting is a deadlock, found here and nowhere else.
#pragma once

#include <type_traits>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/scheduler/fairness/thinning.h"
#include "src/runtime/scheduler/fast_path.h"
#include "src/runtime/scheduler/points.h"
#include "src/runtime/scheduler/recording/follower.h"
#include "src/runtime/scheduler/thread.h"
#include "src/runtime/scheduler/time/busy_time.h"
#include "src/runtime/scheduler/waits/crowd.h"
#include "src/schedule/channel.h"
#include "src/schedule/operation.h"
#include "src/schedule/waiting_loops.h"
#include "src/strategy/decider.h"
#include "src/strategy/enabled_set.h"
#include "src/strategy/touched_blocks.h"

namespace jostle {
class Observer;
struct RunRoles;
}  // namespace jostle

namespace jostle::rt {

class Overseer;

enum class Wake {
  ready,      // the operation can execute: do it
  timeout,    // the deadline struck (virtual time has been advanced to it)
  cancelled,  // a cancellation request arrived and this wait is a cancellation point
  signalled,  // a signal handler ran in this thread: calls that do so return EINTR
};

struct WaitOptions {
  Nanoseconds deadline = kNever;  // absolute, virtual time
  bool cancellation_point = false;
  bool external = false;       // readiness depends on the kernel, not only on other fibers
  bool outside = false;        // … and may come from another process
  bool interruptible = false;  // a delivered signal ends the wait
  bool event_loop = false;     // its time-out is a timer's: it strikes before others run more often
  bool undisturbed = false;    // signals and asynchronous cancellation wait until it is over
  // A handler that interrupted the wait jumped out of it, or ended the thread: what is left to do,
  // on behalf of a caller who will never hear of it.
  void (*abandoned)(void* context) = nullptr;
  void* abandoned_context = nullptr;
};

class Scheduler {
 public:
  void init(channel::Channel* channel);
  // Starts a run: counters, log and who decides; the threads that exist stay (normally only main).
  void begin_run(const RunRoles& roles, uint64_t seed);
  // Starts a run that follows the channel's input schedule.
  void begin_replay();
  // In the middle of a run: from here on others decide.
  void follow(const RunRoles& roles);
  // The run that has just begun is looked at step by step. Any decider may take over in it, also
  // one that needs names.
  void oversee(Overseer* overseer);
  // In the middle of a run, in a process of its own that is no part of it: nobody decides, whatever
  // the strategy of the run is, so that it is the same in a replay, and no limit holds.
  void go_on_unsearched();
  // In the middle of a run that is overseen: who decides, and is shown the events, from here on.
  void let_decide(Decider* decider, Observer* observer);
  Decider& decider() { return *decider_; }
  // A run in a process that is not rewound is over, and with it all threads but main: everything
  // starts anew. How many threads nobody joined or detached.
  uint32_t settle();

  // ---- for hooks
  Thread& self() { return *current_; }
  // A scheduling point before an operation that can always execute.
  void reach(const Operation& op);
  // The running thread has been in a loop without hooks for long: could somebody else go on?
  bool others_may_go_on() const;
  // … then they do, before it goes on itself: as if it yielded at `pc`.
  void give_way_in_loop(uintptr_t pc);
  // Signals that others have sent the current thread are handled now at the latest.
  void answer_requests();
  // Counts, as it does; but nobody has to be let run before it.
  void pass(const Operation& op);
  // A scheduling point before an operation that can execute only when `ready()`. The callable and
  // all it refers to stay alive until this returns.
  template <typename Ready>
  Wake wait(const Operation& op, Ready&& ready, const WaitOptions& options = {}) {
    using Fn = std::remove_reference_t<Ready>;
    return wait_for(op,
                    {[](void* f) { return static_cast<bool>((*static_cast<Fn*>(f))()); },
                     const_cast<void*>(static_cast<const void*>(&ready))},
                    options);
  }
  Wake wait_shared(const Operation& op, const ReadyCheck& ready, const WaitOptions& options = {}) {
    return wait_for(op, ready, options);
  }
  // A scheduling point before a memory access; the hook has counted the event already.
  void reach_access(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc);
  // The current thread enters a function, from where `pc` is inside.
  void enter_function(uintptr_t pc);
  // What the current thread just did, for the detection of spinning: it saw `value` and changed
  // nothing, or it changed something that others may be waiting for.
  void saw(const Operation& op, uint64_t value);
  // The same, inlined: scheduling_point.h.
  void saw_plainly(uintptr_t pc, uintptr_t object, uint32_t size, OpKind kind, uint64_t value);
  void changed_memory(OpKind kind = OpKind::write) {
    if (decides_all_ && !is_about_lock(kind)) current_->loop.changed_something();
    if (current_->stillness.repeats()) return;  // it writes what it has written before
    if ((fruitless_ | spinners_ | uint32_t{watches_all_}) != 0) [[unlikely]]
      let_spinners_look();
  }
  // The same of a plain write of `size` bytes that is about to happen.
  void changes_memory(uintptr_t object, uint32_t size) {
    if (decides_all_) [[unlikely]]
      begin_write(*current_, object, size);
    if (current_->stillness.repeats()) return;
    if ((fruitless_ | spinners_ | uint32_t{watches_all_}) != 0) [[unlikely]]
      let_spinners_look();
  }
  // … of memory that others are not known to touch.
  void changes_own_memory(uintptr_t object, uint32_t size) { begin_write(*current_, object, size); }
  // The running thread, in std::lock, did not get all locks: the executions that go on from here
  // are like others, in which it comes later.
  void leave_out_attempt();
  // The thread's first window in which it is watched for standing still lies ahead.
  void watch_later(Thread& thread);
  // What the running thread, which is watched, is about to do. True: it goes round and round, and
  // others could run.
  bool watch(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc);
  // The state of `object` changed: threads pending on it are asked again whether they are ready.
  void changed(const void* object) { changed(reinterpret_cast<uintptr_t>(object)); }
  void changed(uintptr_t object);
  // Changes what a waiting thread waits for: a signalled condition waiter now wants its mutex.
  // `context` must live in the waiter's own frame.
  void retarget(Thread& waiter, const Operation& op, ReadyCheck ready);
  // The thread's pending operation is another one now, or touches something else.
  void note_touched(const Thread& thread) {
    if (!touched_.active()) return;
    touched_.note(thread.id, thread.pending);
  }
  // Ends a wait that uses Thread::woken as its condition.
  void wake(Thread& waiter);
  // A decision of the strategy that is not about threads. 0 without asking when alternatives <= 1.
  uint32_t choose(ChoiceKind kind, uint32_t alternatives);
  // The same for ChoiceKind::ready, with the names of the alternatives: see Question::names.
  uint32_t choose_ready(const uint64_t* names, uint32_t count, bool may_stop);
  // The same for ChoiceKind::late: see there.
  uint32_t choose_late(const uint64_t* names, uint32_t count, uint32_t alternatives);
  // The same for what an atomic operation does (is_of_access), at the running thread's event; 0 is
  // not logged. `offered`: so many of them, the first ones, are to be chosen from; 0: all.
  uint32_t choose_store(ChoiceKind kind, uint32_t alternatives, uint32_t offered = 0);
  // … that somebody else has made.
  void log_store_choice(ChoiceKind kind, uint32_t alternatives, uint32_t picked);
  void log_choice_of_operation(ChoiceKind kind, uint32_t alternatives, uint32_t picked);
  // Where all schedules are explored: which of so many values the running thread draws. Not in the
  // log of choices, because draws have their own.
  uint32_t choose_draw(uint32_t alternatives);
  bool is_enabled(const Thread& thread) const { return enabled_.contains(thread.id); }
  // Threads pending on an address, in the order they came. `next` = nullptr for the first.
  Thread* next_pending_on(uintptr_t object, Thread* previous);
  // The external world may have changed (a descriptor was written, closed, …): ask external
  // waiters.
  void poll_external();
  // A signal or a cancellation request has been marked in the thread: end its wait if it allows.
  void signal_thread(Thread& thread) {
    refresh(thread);
    if (&thread == current_) thread.stop_at = 0;  // it sent it itself: at its next hook
  }
  // Handlers that interrupted waits of the current thread will not return there: gives up its
  // suspended waits down to `left`, which stays.
  void abandon_waits(SuspendedWait* left);

  // ---- threads
  // A new thread, enabled, with `thread_begin` pending. Null when there is no memory for it.
  Thread* create_thread(void (*entry)(void*), size_t stack_size, size_t guard_size,
                        void* user_stack);
  // The running thread is over: never returns. Its slot is freed when it is detached or joined.
  [[noreturn]] void finish_current();
  void release_slot(Thread& thread);
  // After begin_sharing_run: what threads have touched, also those that were there before the run,
  // is what they touch in this run.
  void touch_memory_anew();
  // The running thread has joined this one, whose slot becomes free.
  void note_joined(Thread& ended);
  Thread* find(pthread_t handle);
  uint32_t live_threads() const { return live_; }
  bool detached_ended() const { return detached_ended_; }
  // All schedules are explored, and in them time-outs at any time.
  bool explores_time_outs() const { return any_time_outs_; }
  uint32_t runnable_threads() const { return enabled_.count(); }
  Thread* thread_at(ThreadId id) { return table_[id]; }
  ThreadId table_size() const { return slots_used_; }
  // In order of creation; kNoThread: its slot may have another one by now.
  const EngineVector<ThreadId>& threads_of_run() const { return by_index_; }
  // Threads that have ended and wait for their join count, too.
  bool is_alone() const { return live_ == 1 && free_ids_.size() + 1 == slots_used_; }
  // In a forked child only the calling thread exists.
  void forget_other_threads();

  // From here on runs of this process, a forked one, are no part of what the command sees.
  void detach_from_channel();

  // For the snapshot: the one thread there is now, as it is now, is what every run starts with.
  void keep_as_start();
  void rewind();

  // ---- virtual time
  Nanoseconds now() const { return clock_; }
  // Reading a clock lets a little time pass, so that loops that wait for the clock end.
  Nanoseconds read_clock();
  // The program has read this time, from any clock.
  void told_time(Nanoseconds time) {
    if (has_large_steps_) read_times_.add(time);
  }
  void advance_clock_to(Nanoseconds time);
  // How long threads, or one of them, have been busy: by their events, not by what is real.
  Nanoseconds processor_time() const;
  Nanoseconds processor_time(const Thread& thread) const;
  // In a child of fork(), which has used none so far.
  void processor_time_begins();
  // A timer was set or is off, or there are other processes: see busy_time.h.
  void watch_work();
  // An access while it is looked at what threads do. True: time is to pass before it.
  bool sampling() const { return busy_.samples_left != 0; }
  bool sample(OpKind kind, uintptr_t address, uint32_t size, uintptr_t pc);

  // ---- the run so far
  uint64_t steps() const { return steps_; }
  bool fences_are_points() const { return memory_ == channel::MemoryModel::c11; }
  uint64_t total_events() const {
    return events_of_others_ + (current_->events - events_at_resume_);
  }
  channel::RunRecord& record() { return channel_->record; }
  channel::Channel& channel() { return *channel_; }
  bool recording() const { return recording_; }
  bool clock_was_read() const { return clock_was_read_; }
  Points& points() { return points_; }
  bool replaying() const { return follower_.active(); }
  // A recording decides, and has not come to its end.
  bool follows() const { return follower_.active() && !follower_.at_end(); }
  void trace(const Operation& op, bool visible);
  // Recording: what the running thread's last access read or wrote is now in memory.
  void note_value();
  // Recording: the same while it is there, because that memory is about to be freed.
  void note_value_before_free(uintptr_t begin, size_t size);
  // Recording: its last access was an atomic operation, after which this is there; a
  // compare-exchange need not have written it.
  void note_atomic(uintptr_t object, uint64_t value, bool wrote, int order, bool stale);
  // Recording: its last operation, which wanted to lock or take this, did not get it.
  void note_in_vain(uintptr_t object);
  // For a run that knows nothing of which memory is shared: what is not on the thread's own stack
  // counts as shared, so many times. Without `constants` neither do what nobody can write and the
  // thread's own thread-local variables.
  void presume_sharing(bool constants = true);
  bool presumes_shared(const Thread& thread, uintptr_t address);
  // Accesses to memory of the thread's own are of interest, too.
  bool looks_closer() const { return recording_ || sampling() || presumptions_ != 0; }
  // What the fast path of memory hooks compares Thread::events with, for a slice that begins now.
  void arm_limits(Thread& thread);
  // The thread's event counter got to its limit: stops the run, or returns false if it was only a
  // stop that a replay asked for.
  bool at_limit(Thread& thread);
  // The run has had its time: it ends as timed out at the next hook. For signal handlers.
  void end_soon();
  // The run gets on, but has had its time or its steps: a failure only if the user set the limit.
  [[noreturn]] void end_beyond(channel::Limit limit);
  // A run of the campaign had so many events: where the next ones have their scheduling points.
  void note_length(uint64_t events) {
    if (events > longest_run_) longest_run_ = events;
  }
  // Runs are long, and nobody relies on knowing what is shared from the begin of one.
  bool learns_sharing_anew() const {
    return longest_run_ >= channel::kLongRun && !decides_all_ && !follower_.active();
  }
  // Writes the last segment: the run is over.
  void close_log();

  // A test of progress has been planned in the run's history, for the operation that the running
  // thread begins: standstill.cc.
  void plan_standstill();
  // One of the operations that should return has.
  void end_standstill();

 private:
  friend struct DebuggerView;
  // With `followed` the run is to do what that recording did.
  void begin(const RunRoles& roles, uint64_t seed, const channel::Schedule* followed);
  void assign(const RunRoles& roles);
  channel::MemoryModel memory_model(const channel::Schedule* recorded) const;
  uint32_t ask(const Question& question);
  uint32_t ask_decider(const Question& question, bool is_explored);
  Wake wait_for(const Operation& op, ReadyCheck ready, const WaitOptions& options);
  Wake wait_until(const Operation& op, ReadyCheck ready, const WaitOptions& options);
  void count_event(const Operation& op);
  uintptr_t place_of(const Operation& op);
  void note_origin(uintptr_t pc);
  void yield_to_others(Thread& thread);
  void note_yield();
  ThreadId forgotten() const;
  uint64_t last_run_of(ThreadId id) const;
  void leave(Thread& thread, Thread& next);
  void leave_plainly(Thread& thread, Thread& next);
  // `is_executed`: the announced operation is over, and does not come behind a handler.
  void act_on_requests(Thread& thread, bool is_executed = false);
  // Recording: the operation that the running thread has announced, while a signal's handler runs
  // before it is executed. In the trace it comes where it is executed, behind the handler.
  struct TracedOperation {
    channel::TraceEvent* event = nullptr;
    bool is_unread = false;  // its value is not noted yet
  };
  TracedOperation set_traced_aside();
  void take_up_traced(const TracedOperation& interrupted);
  bool goes_alone(Thread& thread);
  bool may_go_alone(Thread& thread);
  void let_spinners_look();
  bool is_thinned_out(const Thread& thread) const;
  bool is_stopped_everywhere(const Thread& thread) const;
  uint64_t next_stop(const Thread& thread) const;
  Thread* decide();
  const View& view_of(const EnabledSet& candidates);
  Thread* pick();
  // Nearly all decisions of nearly all runs, in which nobody but the decider has a say:
  // plain_decision.h.
  void look_for_the_unusual();
  bool is_plain_decision() const;
  Thread* pick_plainly();
  void arm_plainly(Thread& thread, uint64_t now);
  void go_on_plainly(Thread& thread);
  // Fairness and progress: progress.cc.
  ThreadId in_turn(const EnabledSet& candidates);
  void give_turns();
  void everybody_spins();
  bool nothing_can_change() const;
  void begin_watching(Thread& thread);
  bool found_moving(Thread& thread);
  uint64_t words_left_by(const Thread& thread) const;
  // Threads that poll: polling.cc.
  bool goes_on_polling(Thread& thread, uintptr_t pc);
  bool everybody_polls() const;
  void choose_steps_of_clock();
  Nanoseconds in_large_steps(Nanoseconds time) const;
  void look_at_standstill();
  void begin_standstill();
  bool goes_on_in_standstill(const Thread& thread) const;
  ThreadId alternate(const EnabledSet& candidates);
  // Loops that wait, where all schedules are explored: waiting.cc.
  bool is_about_locks_only() const;
  void wait_in_loop(Thread& thread);
  void let_others_before_clock();
  void look_for_round(Thread& thread, uintptr_t pc, uintptr_t object, WaitingLoops::Kind kind);
  void look_at_loop(Thread& thread, OpKind kind, uintptr_t object, uintptr_t pc);
  void begin_write(Thread& thread, uintptr_t object, uint32_t size);
  void end_write(Thread& thread);
  void look_at_end_asked_for(Thread& thread, uintptr_t which, uintptr_t pc);
  void note_read(Thread& thread, const Operation& op, uint64_t value);
  void look_at_awaited();
  bool loops_go_on();
  bool waits_in_loop(const Thread& thread) const;
  bool loops_wait() const;
  void time_passes_in_loops();
  bool loops_see_what_time_brought();
  void end_if_loop_is_over();
  [[noreturn]] void end_as_another_run();
  uint32_t log_choice(ChoiceKind kind, uint32_t alternatives, uint32_t picked);
  bool is_point(Thread& thread);
  void stop_naming();
  void name_pending(Thread& thread);
  void note_more(Thread& thread);
  ThreadId between_points(const EnabledSet& candidates);
  const EnabledSet& candidates_now();
  void put_aside(Thread& thread);
  Thread* follow_recording();
  void end_as_recorded();
  bool make_someone_enabled();
  bool can_go_on(const Thread& thread) const;
  static bool can_handle_signal(const Thread& thread);
  // interruption.cc
  friend class Interruption;
  void handle_while_waiting(Thread& thread, const Operation& op, const WaitOptions& options);
  void suspend_wait(Thread& thread, SuspendedWait& wait, const WaitOptions& options);
  void resume_wait(Thread& thread);
  void replace_in_lot(Thread& thread, Thread& by);
  SuspendedWait* new_suspended_wait();
  void forget_suspended_waits(Thread& thread);
  void end_wait(Thread& thread);
  void set_enabled(Thread& thread, bool enabled);
  void refresh(Thread& thread);
  bool is_like_others(const Thread& thread) const;
  void gather_crowd(uintptr_t object);
  void join_crowd(CrowdedObject& crowded, Thread& thread);
  void leave_crowd(Thread& thread);
  void step_out_of_crowd(Thread& thread);
  uint64_t last_enabled(const Thread& thread) const;
  void refresh(Crowd& crowd);
  void changed(CrowdedObject& crowded);
  void park(Thread& thread, uintptr_t object);
  void unpark(Thread& thread);
  void log_switch(Thread& from, channel::SegmentEnd why);
  void switch_to(Thread& next);
  Nanoseconds earliest_timeout() const;
  bool outside_has_acted(uint32_t enabled_before);
  bool outside_acts_first(uint32_t enabled_before);
  void look_outside();
  bool others_come_before_time() const;
  bool let_time_pass();
  bool let_time_pass_for_spinners();
  void look_at_work(Thread& thread, bool at_access);
  void end_look(bool idle);
  void pass_time_to_timer();
  bool timer_interrupts(Thread& thread, Nanoseconds deadline);
  void wake_expired();
  // A time-out may strike although others are busy: they have been so for long enough.
  bool is_due() const { return timed_waiters_ != 0 && total_events() >= next_due_; }
  void wake_due();
  // Has it come to that with this one's?
  // Although the clock may be beyond it, because somebody has read it: a time-out that has not
  // struck does when nobody else can go on.
  bool time_passes_last() const { return decides_all_ && !any_time_outs_; }
  bool time_may_strike(const Thread& t) const {
    if (t.waits_for_others) return false;
    if (t.time_is_eager || total_events() >= t.due_at) return true;
    if (clock_ < t.deadline) return false;
    return !time_passes_last() || is_enabled(t) || t.deadline <= t.waits_since;
  }
  void begin_timed_wait(Thread& thread, const WaitOptions& options, bool ready);
  // Where time-outs at any time are explored: time_outs.cc.
  bool strikes_whenever(const Thread& thread) const;
  bool chooses_time_out(const Thread& thread) const;
  void choose_time_out(Thread& thread, ChoiceKind kind, bool is_logged);
  bool strikes_at_once(const Thread& thread, const WaitOptions& options, bool ready) const;
  void end_if_time_outs_are_left();
  [[noreturn]] void end_as_blocked();
  bool others_could_run(const Thread& thread, Nanoseconds until) const;
  void end_timed_wait(Thread& thread, const WaitOptions& options);
  [[noreturn]] void report_deadlock();

  // Checked builds only (invariants.cc): what the members below say of each other.
  void check_at_decision() const;
  bool is_armed(Thread& thread);
  void check_state() const;
  void check_thread(const Thread& thread) const;
  void check_parked(const Thread& thread) const;
  void check_nobody_waits() const;
  void check_segment(const Thread& thread) const;

  Thread* current_ = nullptr;
  channel::Channel* channel_ = nullptr;
  Decider* decider_ = nullptr;  // null: a recording decides
  bool recording_ = false;
  bool stepping_ = false;    // the strategy sees operations without alternative, too
  uint64_t news_ = 0;        // of this run: what may end waits of others (waiting.cc)
  bool has_awaits_ = false;  // of this run: threads may stand in front of an await (waiting.cc)
  channel::MemoryModel memory_ = channel::MemoryModel::sequential;  // of the run
  bool decides_all_ = false;    // the strategy explores all schedules: Decider::Manner::trail
  bool any_time_outs_ = false;  // … and time-outs at any time: time_outs.cc
  uint32_t live_ = 0;
  bool detached_ended_ = false;  // in this run
  uint64_t steps_ = 0;
  uint64_t events_of_others_ = 0;  // events in this run, up to the last switch
  uint64_t events_at_resume_ = 0;
  uint32_t presumptions_ = 0;  // left of this run: see presume_sharing
  bool presumes_constants_ = true;
  bool overdue_ = false;
  uint64_t step_limit_ = UINT64_MAX;
  uint64_t fair_from_ = UINT64_MAX;  // steps; see in_turn
  uint64_t event_limit_ = UINT64_MAX;
  uint64_t fruitless_ = 0;    // decisions in a row with every enabled thread aside
  bool watches_all_ = false;  // … so many that they are watched
  uint32_t streak_ = 0;       // decisions in a row for the running thread
  uint32_t fair_turn_ = 0;    // so many it may have, where everybody gets a turn
  uint32_t patience_ = 0;     // decisions without a thread that could run, before its turn comes
  uint64_t next_turns_ = 0;   // steps; when that is looked at next
  ThreadId turn_of_ = 0;      // whose turn it is
  uint32_t turn_left_ = 0;    // for so many decisions
  // Accesses in a row that are no scheduling points, before others get their turn. A loop that
  // waits for memory not yet known to be shared ends by this; ordinary code rarely gets that far.
  static constexpr uint64_t kSlice = 50'000;
  static constexpr uint32_t kPatience = 4096;
  static constexpr uint32_t kLeastPatience = 64;
  static constexpr uint32_t kTurn = 64;
  // Threads that yield so often ask for one that could have run since before: its turn comes, too.
  static constexpr uint32_t kMostYields = 64;
  uint64_t yields_ = 0;                    // of the run
  uint64_t yielded_at_[kMostYields] = {};  // steps; of the last ones, in turn
  // A test of progress: standstill.cc.
  bool standstill_planned_ = false;
  ThreadId tested_ = kNoThread;  // whose operation
  ThreadId partner_ = kNoThread;
  uint64_t tested_from_ = 0;  // event of it with which the operation began
  uint32_t alternated_ = 0;   // decisions in a row for one of the two
  uint64_t limit_without_ = 0;
  Nanoseconds clock_ = 0;
  uint32_t clock_reads_ = 0;
  uint64_t clock_asked_at_ = 0;  // events of others when the running thread first asked
  uint32_t clock_asked_ = 0;     // how often it has since, if all schedules are explored
  bool clock_was_read_ = false;  // in this run
  // See fairness/polling.h.
  bool wants_large_steps_ = false;
  bool has_large_steps_ = false;
  ReadTimes read_times_;
  Nanoseconds large_steps_from_ = 0;
  BusyTime busy_;
  uint32_t timed_waiters_ = 0;
  uint64_t next_due_ = UINT64_MAX;  // the earliest Thread::due_at of those that wait
  uint32_t external_waiters_ = 0;
  uint32_t spinners_ = 0;
  EnabledSet enabled_;
  EnabledSet eligible_;  // enabled and not put aside for spinning
  EnabledSet pair_;      // at a weak stop point: the current thread and the next in order
  Points points_;
  Thinning thinning_;
  uint64_t longest_run_ = 0;  // events, of the campaign
  bool names_ = false;        // the strategy wants the names of what operations touch
  bool guided_ = false;       // the strategy wants to be asked at certain events
  bool filtered_ = false;     // not every operation is a scheduling point
  Follower follower_;
  EngineVector<Thread*> table_;  // slots are reused from run to run: the first slots_used_ count
  ThreadId slots_used_ = 0;
  View view_ = {nullptr, kNoThread, nullptr, nullptr, nullptr};
  uint64_t plain_until_ = 0;                   // steps; 0: the run is an unusual one
  bool notes_more_ = false;                    // of pending operations than what they are
  bool hears_of_steps_ = true;                 // the decider wants to know what was executed
  EngineVector<const Operation*> operations_;  // by slot: Thread::pending
  TouchedBlocks touched_;                      // of the first slots_used_
  Thread* start_ = nullptr;                    // main at the start of a run
  EngineVector<CallStack::Entry> start_calls_;
  EngineVector<ThreadId> free_ids_;
  EngineVector<ThreadId> start_free_ids_;  // of keep_as_start: threads may have come and gone
  uint32_t start_threads_ = 1;
  EngineVector<ThreadId> by_index_;  // creation order → slot; kNoThread once released
  static constexpr int kLotBuckets = 1 << 12;
  struct Bucket {
    Thread* head = nullptr;
    Thread* tail = nullptr;
  };
  Bucket lot_[kLotBuckets];
  CrowdedObjects crowded_;
  SuspendedWait* unused_suspended_waits_ = nullptr;
  Overseer* overseer_ = nullptr;  // only while stepping_; null: nobody looks
};

extern JOSTLE_HIDDEN Scheduler g_scheduler;

// The process is somebody else's (src/runtime/embedded): only what our own kernel thread does is
// controlled.
extern JOSTLE_HIDDEN bool g_embedded;

inline bool controlled() {
  const Thread* current = g_current;
  return current != nullptr && (!g_embedded || current->context.tp == thread_pointer());
}

}  // namespace jostle::rt
