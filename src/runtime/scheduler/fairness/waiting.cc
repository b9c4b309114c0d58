// SPDX-License-Identifier: Apache-2.0
// Loops that wait, for strategies that explore all schedules: a round that changes nothing is not
// explored again and again, it is left out.
//
// A thread that comes to the head of a known loop is looked at: if it was there before in the very
// same state, and the round was one operation, that is taken back, and the thread waits until the
// location has another value. If the round looked at several locations, or under a lock, the thread
// waits for the rest of the run: the runs in which it finds what it wants are among the others
// (that is how stateless model checkers treat `assume`). So it does always with weak memory, where
// a load may find older values, too. Unless others notice the rounds that are left out, because
// they fail to get the lock meanwhile: trail_reader.h. And unless time had to pass before what it
// waits for could come: a thread that can run keeps time from passing, so that no other run has it
// look later. Then it goes on in this one, when nobody else can.
#include "src/base/hash.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/thread_state.h"

namespace jostle::rt {
namespace {

uint64_t value_at(uintptr_t address, uint32_t size) {
  uint64_t value = 0;
  safe_read(address, &value, size < 8 ? size : 8);
  return value;
}

uint64_t hash_of(const HeldLocks& held) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < held.count(); ++i) hash = combine(hash, held[i].object);
  return hash;
}

// Who waits for more than a value in memory may have waited for this.
constexpr bool is_news_for_others(OpKind kind) {
  constexpr uint64_t kNews = op_bits(
      {OpKind::io_write, OpKind::state_write, OpKind::sem_post, OpKind::cond_signal,
       OpKind::cond_broadcast, OpKind::futex_wake, OpKind::thread_signal, OpKind::thread_exit});
  return kNews >> static_cast<int>(kind) & 1;
}

// What it has read in its last round is still there.
bool reads_the_same(const LoopWatch& loop) {
  uint32_t i = loop.in_loop() ? loop.heads[loop.head_count - 1].first_read : 0;
  for (; i < loop.read_count; ++i) {
    const LoopWatch::Read& read = loop.reads[i % LoopWatch::kMostReads];
    if (read.size == 0) continue;
    if (value_at(read.object, read.size) != read.value) return false;
  }
  return true;
}

// And nobody has had news for it.
bool is_unchanged(const LoopWatch& loop, uint64_t news) {
  if (loop.waits_for_news && loop.news_seen != news) return false;
  return reads_the_same(loop);
}

}  // namespace

// It goes round and round in what nobody else is known to touch. If somebody does, that will be
// known, and looked at.
void Scheduler::wait_in_loop(Thread& t) {
  t.loop.is_blocked = true;
  t.loop.news_seen = news_;
  set_enabled(t, false);
}

void Scheduler::leave_out_attempt() {
  current_->loop.locks_all = true;
  wait_in_loop(*current_);
}

// Whether a thread is over is read as memory is, but by ourselves.
void Scheduler::look_at_end_asked_for(Thread& t, uintptr_t thread, uintptr_t pc) {
  const bool& flag = reinterpret_cast<const Thread*>(thread)->finished;
  const auto object = reinterpret_cast<uintptr_t>(&flag);
  look_for_round(t, pc, object, WaitingLoops::Kind::many);
  t.loop.add({pc, object, sizeof flag, flag, t.held.count()});
}

void Scheduler::look_at_loop(Thread& t, OpKind kind, uintptr_t object, uintptr_t pc) {
  using Kind = WaitingLoops::Kind;
  LoopWatch& loop = t.loop;
  news_ += is_news_for_others(kind);
  loop.ends_write(value_at);
  if (loop.is_blocked) return;
  loop.awaits = false;
  if (kind == OpKind::yield && object != 0) return look_at_end_asked_for(t, object, pc);
  const bool locks = is_about_lock(kind);
  if (kind == OpKind::write) return;  // only if it changes what is there: begins_write
  if (!only_reads(kind) && kind != OpKind::atomic_rmw && !locks) return loop.changed_something();
  look_for_round(t, pc, object, locks ? Kind::many : Kind::one);
  if (locks) loop.add({pc, object, 0, 0, t.held.count()});
}

void Scheduler::begin_write(Thread& t, uintptr_t object, uint32_t size) {
  t.loop.begins_write(object, size, value_at);
}

void Scheduler::end_write(Thread& t) { t.loop.ends_write(value_at); }

// If this is the head of a loop: has it come round?
void Scheduler::look_for_round(Thread& t, uintptr_t pc, uintptr_t object, WaitingLoops::Kind kind) {
  using Kind = WaitingLoops::Kind;
  LoopWatch& loop = t.loop;
  WaitingLoops& loops = g_actions.loops();
  // What a load will find is not known before it is executed: nobody can wait in front of it.
  if (g_actions.explores_stores()) kind = Kind::many;
  const Kind known = loops.kind_of(pc);
  if (known == Kind::unknown) {
    const bool is_back = loop.is_back(pc, object, t.held.count());
    if (is_back && loops.learn(pc, kind)) g_actions.learned();
    return;
  }
  const uint64_t own = own_state(t);
  if (own == 0) return loop.changed_something();
  const uint64_t state = combine(combine(own, loop.library_accesses), hash_of(t.held));
  loop.awaits = known == Kind::one;
  has_awaits_ |= loop.awaits;
  const LoopWatch::Head* before = loop.find(pc, object);
  if (before && loop.has_been(*before, state) && loop.steps != before->first_step) {
    const uint32_t steps = loop.steps - before->first_step;
    // If the last step was the round, it is none.
    if (known == Kind::many || steps != 1 || !g_actions.take_back(t, state)) {
      if (loops.learn(pc, Kind::many)) g_actions.learned();
      loop.head_count = static_cast<uint32_t>(before - loop.heads) + 1;
      g_actions.left_out(loop.locks != before->first_lock, loop.failures - before->first_failure);
      return wait_in_loop(t);
    }
  }
  loop.enter(pc, object, state);
  t.stop_at = 0;  // what it writes is seen
}

void Scheduler::note_read(Thread& t, const Operation& op, uint64_t value) {
  t.loop.add({op.pc, op.object, op.size, value, t.held.count()});
}

// A thread that awaits a value can go on when it is, or may be, there.
void Scheduler::look_at_awaited() {
  if (!has_awaits_) return;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.live || t.in_lot || !t.loop.awaits || t.loop.is_blocked) continue;
    const uint64_t value = value_at(t.pending.object, t.pending.size);
    set_enabled(t, !g_actions.loops().goes_round(t.loop.state(), value));
  }
}

// Of those who wait in loops all are in std::lock.
bool Scheduler::is_about_locks_only() const {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (t.live && (t.loop.awaits || t.loop.is_blocked) && !t.loop.locks_all) return false;
  }
  return true;
}

bool Scheduler::waits_in_loop(const Thread& t) const {
  return t.live && !t.in_lot && !is_enabled(t) && (t.loop.awaits || t.loop.is_blocked);
}

bool Scheduler::loops_wait() const {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    if (waits_in_loop(*table_[id])) return true;
  }
  return false;
}

void Scheduler::time_passes_in_loops() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (waits_in_loop(t)) t.loop.time_has_passed = true;
  }
}

bool Scheduler::loops_see_what_time_brought() {
  bool any = false;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!waits_in_loop(t) || !t.loop.time_has_passed || is_unchanged(t.loop, news_)) continue;
    t.loop = {};
    set_enabled(t, true);
    any = true;
  }
  return any;
}

// Time is about to pass because nobody can go on: not while somebody could, who is only left out of
// this run. In another one it looks later, and a guard of seconds does not strike before it.
void Scheduler::end_if_loop_is_over() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    if (!waits_in_loop(t) || !t.loop.is_blocked || t.loop.time_has_passed) continue;
    if (!reads_the_same(t.loop)) end_as_another_run();
  }
}

void Scheduler::end_as_another_run() {
  g_actions.blocked();
  end_run(channel::Outcome::stopped, "a loop waits for what another run has");
}

// Nobody can go on. If some wait in loops that others have changed the outcome of, this run stands
// for none that goes on. Otherwise it has to be shown that they go round for ever; or that nobody
// can go on either when std::lock has given back what it took.
bool Scheduler::loops_go_on() {
  bool any = false, any_changed = false;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!waits_in_loop(t)) continue;
    any = true;
    // What it does when the time is over is one run of many.
    if (t.loop.asks_for_time) g_actions.gap(TrailGap::time, t.pending.pc);
    any_changed |= t.loop.is_blocked && !is_unchanged(t.loop, news_);
  }
  if (!any) return false;
  if (any_changed) end_as_another_run();
  if (is_about_locks_only()) {
    g_actions.blocked();
  } else {
    g_actions.endless();
  }
  g_actions.finish();
  g_actions.begin_run(nullptr);
  decides_all_ = false;
  decider_ = nullptr;
  fair_from_ = steps_;  // from here on everybody gets turns
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!waits_in_loop(t)) continue;
    t.loop = {};
    t.stillness.disturb();
    set_enabled(t, true);
  }
  return true;
}

}  // namespace jostle::rt
