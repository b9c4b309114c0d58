// SPDX-License-Identifier: Apache-2.0
// Fairness, and when it is shown that nothing changes any more.
//
// Two things are kept apart. Who seems to spin is put aside so that others come first: a guess,
// which costs a thread its turn for a while and nothing else, because a thread that could run and
// has not done so for long gets a turn (give_turns). And a livelock is only called that when every
// thread that can run was watched going round in one and the same state (stillness.h), in turns,
// and neither time nor the world outside can end it.
#include "src/base/hash.h"
#include "src/base/own_memory.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/thread_state.h"
#include "src/runtime/scheduler/time/external.h"
#include "src/runtime/scheduler/time/timers.h"
#include "src/schedule/shared_state.h"

namespace jostle::rt {
namespace {

// Decisions in a row with every enabled thread aside before they are watched. Loops that spin a
// bounded number of times and then do something else get this far at most.
constexpr uint64_t kFruitlessLimit = 256;
// How often the world outside is asked meanwhile, and how long it is waited for.
constexpr uint64_t kFruitlessBeforeOutside = 64;
constexpr int64_t kOutsideNanoseconds = 1'000'000;

// Events of a thread before it is watched for the first time although it may do other things than
// read; then again after twice as many.
constexpr uint64_t kWatchAfter = 20'000;

// Bytes of the object that an operation may change; 0: none.
uint32_t size_of_object(OpKind kind) {
  switch (kind) {
    case OpKind::mutex_lock:
    case OpKind::mutex_trylock:
    case OpKind::mutex_unlock:
      return sizeof(pthread_mutex_t);
    case OpKind::cond_wait:
    case OpKind::cond_signal:
    case OpKind::cond_broadcast:
      return sizeof(pthread_cond_t);
    case OpKind::rwlock_read:
    case OpKind::rwlock_write:
    case OpKind::rwlock_unlock:
      return sizeof(pthread_rwlock_t);
    case OpKind::sem_wait:
    case OpKind::sem_post:
      return 16;
    case OpKind::spin_lock:
    case OpKind::spin_unlock:
    case OpKind::once:
    case OpKind::futex_wait:
    case OpKind::futex_wake:
      return 4;
    default:
      return 0;
  }
}

// A thread that does this gets on, or asks what changes by itself: the time, the world outside.
bool is_news(OpKind kind, uintptr_t object) {
  if (kind == OpKind::state_read) return !is_of_this_process(object);
  constexpr uint64_t kNews =
      op_bits({OpKind::thread_begin, OpKind::thread_create, OpKind::thread_exit,
               OpKind::thread_cancel, OpKind::thread_signal, OpKind::barrier_wait, OpKind::clock,
               OpKind::io_read, OpKind::io_write, OpKind::signal_wait, OpKind::process_wait,
               OpKind::process_exit, OpKind::state_write});
  return kNews >> static_cast<int>(kind) & 1;
}

// All of these words with one call. False when one of them cannot be read.
bool read_own_words(std::span<const uintptr_t> words, uint64_t* values) {
  iovec there[Stillness::kMostWords];
  for (size_t i = 0; i < words.size(); ++i) {
    there[i] = {reinterpret_cast<void*>(words[i]), sizeof(uint64_t)};
  }
  return read_own_memory({there, words.size()}, values);
}

uint64_t hash_of(std::span<const uintptr_t> words, const uint64_t* values, const ReadTimes* times) {
  uint64_t hash = words.size();
  for (size_t i = 0; i < words.size(); ++i) {
    hash = combine(combine(hash, words[i]), times ? times->rest(values[i]) : values[i]);
  }
  return hash;
}

bool takes_time(OpKind kind) { return kind == OpKind::sleep || kind == OpKind::io_wait; }

}  // namespace

void Scheduler::end_beyond(channel::Limit limit) {
  if (limit == channel::kLimitSteps && record().history.stands_still()) {
    end_run(channel::Outcome::history, kNoReturn);
  }
  const bool steps = limit == channel::kLimitSteps;
  const auto failure = steps ? channel::Outcome::step_limit : channel::Outcome::timed_out;
  const bool expected = channel_->config.expected_end == static_cast<uint32_t>(failure);
  if (channel_->config.limits_fail & limit || expected) {
    end_run(failure, steps ? kTooManySteps : kTooLong);
  }
  end_run(channel::Outcome::cut_off, steps ? "the run is long" : "the run takes long");
}

void Scheduler::watch_later(Thread& t) {
  t.stillness.stop();
  const uint64_t pause = t.events < kWatchAfter ? kWatchAfter : t.events;
  t.watch_at = t.events + pause;
  if (&t == current_) arm_limits(t);
}

void Scheduler::begin_watching(Thread& t) {
  t.watch_at = UINT64_MAX;
  t.watched_since = steps_;
  t.stillness.start(has_large_steps_);
  t.polling = {};
  t.stop_at = 0;
  if (&t == current_) arm_limits(t);
}

// What a thread that is watched is about to do.
bool Scheduler::watch(OpKind kind, uint32_t size, uintptr_t object, uintptr_t pc) {
  Thread& t = *current_;
  if (!t.stillness.watching()) begin_watching(t);
  if (kind == OpKind::clock && !decides_all_) {
    if (!has_large_steps_) return goes_on_polling(t, pc);
  } else if (is_news(kind, object)) {
    return found_moving(t);
  }
  if (t.stillness.still()) return enabled_.count() > 1 || !is_enabled(t);
  if (takes_time(kind)) t.stillness.sleeps();
  if (is_memory(kind) ? !only_reads(kind) : size_of_object(kind) != 0) {
    const uint32_t bytes = is_memory(kind) ? size : size_of_object(kind);
    for (uintptr_t p = object & ~uintptr_t{7}; object && p < object + bytes; p += 8) {
      t.stillness.writes(p);
    }
  }
  // Its states are all different as long as it reads another time in each round.
  if (t.polling.active() && !has_large_steps_) return false;
  const ReadTimes* const times = has_large_steps_ ? &read_times_ : nullptr;
  bool known = true;
  const auto state = [&]() -> Stillness::State {
    uint64_t values[Stillness::kMostWords];
    const auto words = t.stillness.written_words();
    uintptr_t frame = 0;
    const uint64_t hash = own_state(t, times, &frame);
    // They may have been unmapped.
    known = known && hash != 0 && read_own_words(words, values);
    if (!known) return {};
    return {combine(hash, hash_of(words, values, times)), frame};
  };
  // A loop that counts on its stack, as those do that were not optimised, is seen at a glance.
  const auto part = [&](uintptr_t frame) { return times ? 0 : stack_near(t, frame); };
  const auto verdict = t.stillness.about_to({kind, object, pc}, state, part);
  if (!known || verdict == Stillness::Verdict::moves) return found_moving(t);
  if (verdict == Stillness::Verdict::still && decides_all_) {
    if (t.stillness.in_one_step()) {
      wait_in_loop(t);
      return true;
    }
    // Others could have run in the middle of its rounds, but were never let.
    g_actions.gap(TrailGap::spinning, pc);
    end_run(channel::Outcome::stopped, "a thread never gives way");
  }
  if (verdict == Stillness::Verdict::still) {
    put_aside(t);
    if (nothing_can_change()) {
      t.pending = {.kind = kind, .size = size, .object = object, .pc = pc};
      end_run(channel::Outcome::livelock, kNothingChanges);
    }
  }
  return t.stillness.still() && enabled_.count() > 1;
}

// A hash of what is in the words that a thread which is watched has written to, but for its stack.
// 0: it is not known.
uint64_t Scheduler::words_left_by(const Thread& t) const {
  uint64_t values[Stillness::kMostWords];
  const auto words = t.stillness.written_words();
  if (t.stillness.overflows() || !read_own_words(words, values)) return 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] >= t.stack_begin && words[i] < t.stack_end) values[i] = 0;
  }
  const uint64_t hash = hash_of(words, values, nullptr);
  return hash ? hash : 1;
}

bool Scheduler::found_moving(Thread& t) {
  watch_later(t);
  t.polling = {};
  wants_large_steps_ = false;
  t.spin.false_alarm();
  changed_memory();
  return false;
}

// Every thread that can run, or that time lets run again, goes round in one and the same state. Who
// waits now but could have run since the one that is watched goes round (for a mutex that it
// releases in between, for a signal that it sends) can run.
bool Scheduler::nothing_can_change() const {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    const Thread& t = *table_[id];
    const bool could_run =
        is_enabled(t) || t.timed_wait || last_enabled(t) >= current_->watched_since;
    if (t.live && !t.stopped && could_run && !t.stillness.still()) return false;
  }
  return !g_next_timers.any() && !outside_may_interfere();
}

// Everybody who could run is aside. Time may end it, or the world outside; otherwise they are
// watched, each in its turn.
void Scheduler::everybody_spins() {
  if (!others_come_before_time() && let_time_pass_for_spinners()) {
    busy_.outside_given = 0;
    return;
  }
  if (++fruitless_ == 1) busy_.outside_nap = BusyTime::kFirstNap;  // somebody has got on
  look_outside();
  if (external_waiters_ && fruitless_ % kFruitlessBeforeOutside == 0) {
    if (wait_for_external_events(kOutsideNanoseconds)) poll_external();
  }
  watches_all_ = fruitless_ > kFruitlessLimit;
}

// Loops that try something, give it back and yield are not seen to spin: all the more somebody else
// is to run. A strategy that samples is given turns. The exhaustive search is not: its run ends,
// and it knows that something is missing.
void Scheduler::note_yield() {
  Thread& t = *current_;
  if (t.yields == 0 || t.first_yield < t.enabled_at) {
    t.yields = 0;
    t.first_yield = steps_;
  }
  // Only of one thread: who looks a few times before it waits (std::atomic::wait) does give way.
  if (++t.yields % kMostYields == 0 && g_actions.active() &&
      last_run_of(forgotten()) < t.first_yield) {
    // Without a step it may wait for memory of which no run has shown yet that it is shared: then
    // it goes round in one state, which takes some time to see.
    const bool has_steps = steps_ != t.first_yield;
    if (t.yields == kMostYields && !has_steps && !t.stillness.watching()) begin_watching(t);
    if (t.stillness.watching() && !has_steps) return;
    g_actions.gap(TrailGap::turns, t.pending.pc);
    end_run(channel::Outcome::stopped, "a thread never gives way");
  }
  yielded_at_[yields_++ % kMostYields] = steps_;
  if (yields_ % kMostYields != 0) return;
  if (next_turns_ == UINT64_MAX) return;
  next_turns_ = steps_;
  look_for_the_unusual();
}

// Who could run and has not done so for longest, but for the running thread; kNoThread.
ThreadId Scheduler::forgotten() const {
  ThreadId found = kNoThread;
  uint64_t since = steps_;
  enabled_.for_each([&](ThreadId id) {
    if (id == current_->id || table_[id]->last_ran >= since) return;
    found = id;
    since = table_[id]->last_ran;
  });
  return found;
}

uint64_t Scheduler::last_run_of(ThreadId id) const {
  return id == kNoThread ? UINT64_MAX : table_[id]->last_ran;
}

// Who could run and has not done so for long gets a turn, whatever the strategy says: no scheduler
// is that unfair. The sooner the more often it was needed, so that the others get on although a
// loop never stops.
void Scheduler::give_turns() {
  const ThreadId id = forgotten();
  const uint64_t since = last_run_of(id);
  const bool for_long = id != kNoThread && steps_ - since >= patience_;
  const uint64_t long_ago = yields_ < kMostYields ? 0 : yielded_at_[yields_ % kMostYields];
  if (for_long || since < long_ago) {
    turn_of_ = id;
    turn_left_ = kTurn;
    if (for_long && patience_ > kLeastPatience) patience_ /= 2;
  }
  next_turns_ = steps_ + patience_;
  look_for_the_unusual();
}

// In turn, for a number of steps that varies: two threads that are in step with each other and with
// the turns would be so for ever.
ThreadId Scheduler::in_turn(const EnabledSet& candidates) {
  const bool goes_on = candidates.contains(current_->id) && streak_ < fair_turn_ &&
                       current_->pending.kind != OpKind::yield;
  if (goes_on) return current_->id;
  fair_turn_ = 1 + static_cast<uint32_t>(combine(7, steps_) >> 32) % kTurn;
  return next_after(current_->id, candidates);
}

}  // namespace jostle::rt
