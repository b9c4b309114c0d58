// SPDX-License-Identifier: Apache-2.0
// The scheduler's threads: creating, finding, ending them.

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/image/image.h"
#include "src/runtime/libc/real.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/switch.h"
#include "src/runtime/scheduler/waits/interruption.h"
#include "src/strategy/decider.h"

namespace jostle::rt {
namespace {

// Several at a time, an odd number of cache lines apart: at distances of a power of two the same
// field of all threads would compete for the same few lines.
constexpr size_t kLine = 64;
constexpr size_t kThreadStride = ((sizeof(Thread) + kLine - 1) / kLine | 1) * kLine;
constexpr size_t kThreadsAtOnce = 16;
JOSTLE_KEPT char* g_next_struct = nullptr;
JOSTLE_KEPT size_t g_structs_left = 0;

Thread* new_thread_struct() {
  if (g_structs_left == 0) {
    g_next_struct = static_cast<char*>(engine_allocate(kThreadsAtOnce * kThreadStride));
    g_structs_left = kThreadsAtOnce;
  }
  auto* t = new (g_next_struct) Thread;
  g_next_struct += kThreadStride;
  --g_structs_left;
  t->calls.attach(static_cast<CallStack::Entry*>(
      engine_allocate(CallStack::kCapacity * sizeof(CallStack::Entry))));
  return t;
}

// Everything a slot keeps when the next thread moves in is storage, not state.
void reset(Thread& t) {
  CallStack::Entry* calls = t.calls.storage();
  void** key_values = t.key_values;
  uint32_t* key_generations = t.key_generations;
  TlsDestructor* destructors = t.tls_destructors;
  const uint32_t capacity = t.tls_destructor_capacity;
  channel::Stack* stopped_at = t.stopped_at;
  const HeldLocks::Storage held = t.held.storage();
  static_assert(std::is_trivially_destructible_v<Thread>);
  new (&t) Thread{};  // in place: a copy of an empty one takes twice as long
  t.calls.attach(calls);
  t.key_values = key_values;
  t.key_generations = key_generations;
  t.tls_destructors = destructors;
  t.tls_destructor_capacity = capacity;
  t.held.attach(held);
  t.stopped_at = stopped_at;
  if (stopped_at) stopped_at->depth = 0;
}

}  // namespace

void Scheduler::init(channel::Channel* channel) {
  channel_ = channel;
  Thread* main = new_thread_struct();
  slots_used_ = 1;
  main->id = 0;
  main->live = true;
  main->self = pthread_self();
  main->context.tp = thread_pointer();
  main->sharing = {sharing_tag_of(0), 0, 0};
  table_.push_back(main);
  operations_.push_back(&main->pending);
  by_index_.push_back(0);
  enabled_.insert(0);
  eligible_.insert(0);
  live_ = 1;
  channel->record.schedule.threads[0] = {};
  channel->record.schedule.thread_count = 1;
  current_ = main;
  arm_limits(*main);
}

Thread* Scheduler::create_thread(void (*entry)(void*), size_t stack_size, size_t guard_size,
                                 void* user_stack) {
  channel::Schedule& log = record().schedule;
  FiberStack stack;
  if (user_stack) {
    stack = {static_cast<char*>(user_stack), stack_size, 0, false};
  } else {
    stack = acquire_stack(stack_size, guard_size);
    if (!stack.base) return nullptr;
  }
  // libc blocks all signals while it makes a thread, also the one by which the image learns of
  // writes.
  if (!donor_available()) image_open_all();
  Donor* donor = acquire_donor();
  if (!donor) {
    release_stack(stack);
    return nullptr;
  }
  ThreadId id;
  if (!free_ids_.empty()) {
    id = free_ids_.pop_back();
  } else {
    id = slots_used_++;
    if (id == table_.size()) {
      table_.push_back(new_thread_struct());
      operations_.push_back(&table_[id]->pending);
    }
    touched_.set_threads(slots_used_, operations_.begin());
  }
  if (table_[id]->index) reset(*table_[id]);  // only main has the index 0
  Thread& t = *table_[id];
  JOSTLE_CHECK(id != 0 && id < slots_used_);
  JOSTLE_CHECK(!t.live && !is_enabled(t) && !t.in_lot && !t.suspended);
  JOSTLE_CHECK_EQ(t.held.count(), 0);
  JOSTLE_CHECK_EQ(donor->slot, kNoThread);
  t.id = id;
  t.index = static_cast<uint32_t>(by_index_.size());
  t.parent_index = current_->index;
  const uint32_t since = begin_sharing_phase(current_->sharing.tag);
  t.sharing = {sharing_tag_of(t.index), owner_of(current_->sharing.tag), since};
  note_sharing_begins(t.sharing.tag);
  t.donor = donor;
  t.self = donor->handle;
  t.stack = stack;
  t.stack_begin = reinterpret_cast<uintptr_t>(stack.base);
  t.stack_end = t.stack_begin + stack.size;
  t.exits_seen_below = g_compares_memory ? UINT32_MAX : 0;
  t.context.tp = donor->tp;
  t.context.sp = prepare_stack(stack.base + stack.size, entry, &t);
  t.pending = {.kind = OpKind::thread_begin};
  note_touched(t);
  t.live = true;
  t.signal_mask = current_->signal_mask;
  t.scheduling = current_->scheduling;
  t.affinity = current_->affinity;
  t.has_affinity = current_->has_affinity;
  by_index_.push_back(id);
  donor->slot = id;
  note_stack_user(stack, id);
  if (t.index < channel::kMaxThreads) {
    const uint64_t parent = log.threads[current_->index].path;
    log.threads[t.index] = {
        current_->index, current_->children, 0, 0, {}, combine(parent, current_->children + 1)};
    log.thread_count = t.index + 1;
  }
  JOSTLE_CHECK(t.context.sp > stack.base && t.context.sp < stack.base + stack.size);
  ++current_->children;
  g_reads_from.thread_created(t.index);
  g_races.created(t);
  g_actions.forget_all();
  ++live_;
  if (live_ > record().max_live_threads) record().max_live_threads = live_;
  const auto slots = static_cast<uint32_t>(slots_used_ - free_ids_.size());
  if (slots > record().max_slots) record().max_slots = slots;
  t.last_ran = t.enabled_at = steps_;
  watch_later(t);
  set_enabled(t, true);
  if (decider_) decider_->thread_created(current_->id, id);
  return &t;
}

void Scheduler::finish_current() {
  Thread& t = *current_;
  JOSTLE_CHECK(t.live && !t.finished && !t.in_lot);
  if (recording_) note_value();
  if (g_actions.active()) g_actions.ends(t);
  g_races.finished();
  forget_suspended_waits(t);
  t.finished = true;
  t.live = false;
  ++t.events;
  t.pending = {.kind = OpKind::thread_exit};
  note_touched(t);
  if (t.aside) {
    t.aside = false;
    --spinners_;
  }
  changed_memory();
  set_enabled(t, false);
  JOSTLE_CHECK(live_ != 0);
  --live_;
  changed(reinterpret_cast<uintptr_t>(&t));  // who joins it
  Thread* next = decide();
  log_switch(t, channel::kForced);
  if (t.detached) release_slot(t);
  switch_to(*next);
  __builtin_unreachable();
}

void Scheduler::release_slot(Thread& t) {
  if (!t.donor) return;  // main's stays
  JOSTLE_CHECK(t.finished && !t.live && !t.in_lot);
  JOSTLE_CHECK_EQ(by_index_[t.index], t.id);
  JOSTLE_CHECK_LT(free_ids_.size(), slots_used_);
  detached_ended_ |= t.detached;  // what it did is ordered before nothing
  by_index_[t.index] = kNoThread;
  release_donor(t.donor);
  release_stack(t.stack);
  g_reads_from.forget(reinterpret_cast<uintptr_t>(&t), sizeof(uintptr_t));  // its name
  free_ids_.push_back(t.id);
}

void Scheduler::touch_memory_anew() {
  for (ThreadId id = 0; id < table_size(); ++id) {
    Thread& t = *table_[id];
    if (t.live) t.sharing = {sharing_tag_of(t.index), 0, g_first_phase};
  }
}

void Scheduler::note_joined(Thread& ended) {
  note_sharing_joined(ended.sharing.tag, current_->sharing.tag);
  release_slot(ended);
  if (!is_alone() || detached_ended_ || !begin_sharing_epoch()) return;
  current_->sharing.tag = sharing_tag_of(current_->index);
}

Thread* Scheduler::find(pthread_t handle) {
  if (handle == current_->self) return current_;
  const Donor* donor = donor_of(handle);
  JOSTLE_CHECK(!donor || donor->slot == kNoThread || table_[donor->slot]->donor == donor);
  if (donor) return donor->slot == kNoThread ? nullptr : table_[donor->slot];
  return handle == table_[0]->self ? table_[0] : nullptr;
}

void Scheduler::detach_from_channel() {
  void* p = map_shared_engine_memory(sizeof(channel::Channel));
  if (!p) return;
  auto* own = static_cast<channel::Channel*>(p);
  own->config = channel_->config;
  channel_ = own;
  refresh_modules(*own);
}

void Scheduler::keep_as_start() {
  JOSTLE_CHECK(current_ == table_[0] && live_ == 1);
  JOSTLE_CHECKED(check_nobody_waits());
  if (!start_) start_ = new (engine_allocate(sizeof(Thread))) Thread;
  *start_ = *current_;
  start_calls_.clear();
  for (uint32_t i = 0; i < start_->calls.depth(); ++i) {
    start_calls_.push_back(start_->calls.storage()[i]);
  }
  start_free_ids_.clear();
  for (const ThreadId id : free_ids_) start_free_ids_.push_back(id);
  start_threads_ = static_cast<uint32_t>(by_index_.size());
  keep_donors_as_start();
  keep_stacks_as_start();
}

void Scheduler::rewind() {
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (t.in_lot) lot_[(t.parked_on >> 3) % kLotBuckets] = {};
    for (SuspendedWait* wait = t.suspended; wait; wait = wait->outer) {
      if (wait->stand_in.in_lot) lot_[(wait->stand_in.parked_on >> 3) % kLotBuckets] = {};
      wait->stand_in.in_lot = false;
    }
    forget_suspended_waits(t);
    t.in_lot = t.live = t.stopped = false;
    t.crowd = nullptr;
    // These are the run's, and gone with it.
    t.key_values = nullptr;
    t.key_generations = nullptr;
    t.tls_destructors = nullptr;
    t.tls_destructor_capacity = 0;
    t.held.forget_storage();
  }
  rewind_donors();
  rewind_stacks();
  Thread& main = *table_[0];
  main = *start_;
  for (size_t i = 0; i < start_calls_.size(); ++i) main.calls.storage()[i] = start_calls_[i];
  current_ = &main;
  slots_used_ = static_cast<ThreadId>(start_free_ids_.size() + 1);
  touched_.set_threads(slots_used_, operations_.begin());
  free_ids_.clear();
  for (const ThreadId id : start_free_ids_) free_ids_.push_back(id);
  by_index_.resize(start_threads_);
  live_ = 1;
  timed_waiters_ = external_waiters_ = spinners_ = 0;
  enabled_.clear();
  crowded_.clear();
  eligible_.clear();
  enabled_.insert(0);
  eligible_.insert(0);
  JOSTLE_CHECKED(check_nobody_waits());
  JOSTLE_CHECKED(check_state());
}

uint32_t Scheduler::settle() {
  uint32_t unjoined = 0;
  for (ThreadId id = 1; id < slots_used_; ++id) {
    Thread& t = *table_[id];
    if (!t.finished || by_index_[t.index] != id) continue;
    ++unjoined;
    release_slot(t);
  }
  slots_used_ = 1;
  touched_.set_threads(slots_used_, operations_.begin());
  free_ids_.clear();
  by_index_.resize(1);
  Thread& main = *table_[0];
  main.events = 0;
  main.children = 0;
  main.pending = {};
  main.spin = {};
  main.stillness.stop();
  main.held.clear();
  main.calls.clear();
  main.at_stop = main.no_preempt = 0;
  main.cleanup_buffers = nullptr;
  main.exiting = false;
  if (main.aside) eligible_.insert(main.id);
  main.aside = false;
  spinners_ = 0;
  return unjoined;
}

void Scheduler::forget_other_threads() {
  detach_from_channel();
  g_races.stop();
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread* t = table_[id];
    if (t == current_) continue;
    unpark(*t);
    forget_suspended_waits(*t);
    set_enabled(*t, false);
    t->live = false;
    t->aside = t->timed_wait = t->external_wait = false;
  }
  free_ids_.clear();  // their storage belonged to threads that no longer are: not reused
  live_ = 1;
  timed_waiters_ = external_waiters_ = spinners_ = 0;
  go_on_unsearched();
  forget_donors_except(current_->donor);
}

}  // namespace jostle::rt
