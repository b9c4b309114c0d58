// SPDX-License-Identifier: Apache-2.0
// What a thread is about to do: the vocabulary shared by the runtime, the strategies and the
// reports.
//
// A thread publishes its next operation before it executes it. Strategies choose between threads by
// looking at these published operations and at nothing else: addresses and code locations inside
// are opaque to them, the questions they may ask are functions here (`races`, `writes`).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "src/base/hash.h"

namespace jostle {

// The position of a thread in the table of live threads of a run. Dense and reused after a join, so
// that strategies can index arrays by it. What is stable across runs is the thread's spawn path.
using ThreadId = uint32_t;
inline constexpr ThreadId kNoThread = UINT32_MAX;

enum class OpKind : uint8_t {
  none,
  // Memory.
  read,
  write,
  atomic_load,
  atomic_store,
  atomic_rmw,
  fence,
  // Threads.
  thread_begin,
  thread_create,
  thread_join,
  thread_exit,
  thread_cancel,
  thread_signal,
  yield,
  // Synchronisation objects.
  mutex_lock,
  mutex_trylock,
  mutex_unlock,
  cond_wait,
  cond_signal,
  cond_broadcast,
  rwlock_read,
  rwlock_write,
  rwlock_unlock,
  barrier_wait,
  sem_wait,
  sem_post,
  spin_lock,
  spin_unlock,
  once,
  futex_wait,
  futex_wake,
  // The outside.
  sleep,
  clock,
  io_read,
  io_write,
  io_wait,
  signal_wait,
  process_wait,
  process_exit,
  // Of a test's scenario (schedule/history/operation_history.h): its number is the size. One that
  // is none of it begins the history.
  operation_begin,
  operation_end,
  // What all threads see although it is no memory of theirs, see schedule/shared_state.h.
  state_read,
  state_write,
  // In reports alone: memory was given back. No thread announces it.
  free,
};
inline constexpr int kOpKinds = static_cast<int>(OpKind::free) + 1;

// A short name as it appears in replay files and reports: "write", "lock", "cond_wait".
std::string_view name(OpKind kind);
// The inverse; OpKind::none when there is no such name.
OpKind op_kind_from_name(std::string_view text);

constexpr bool is_memory(OpKind kind) { return kind >= OpKind::read && kind <= OpKind::fence; }

// Something that is looked at and changed.
constexpr bool is_data(OpKind kind) {
  return is_memory(kind) || kind == OpKind::state_read || kind == OpKind::state_write;
}

// Reads only: executing it again without anybody writing gives the same result.
constexpr bool only_reads(OpKind kind) {
  return kind == OpKind::read || kind == OpKind::atomic_load || kind == OpKind::yield ||
         kind == OpKind::clock || kind == OpKind::fence || kind == OpKind::state_read;
}

struct Operation {
  OpKind kind = OpKind::none;
  uint32_t size = 0;     // bytes touched, for memory operations; 0 for synchronisation objects
  uintptr_t object = 0;  // address of the memory or of the object; 0: touches nothing shared
  uintptr_t pc = 0;      // where in the program (return address of the hook)
  // What is the same in every run; filled in only for strategies that ask for it.
  uint64_t name = 0;  // of the location it touches
  uint64_t site = 0;  // of the place in the program
};

// Does it observe what was written to its object before, and does it write there? A
// read-modify-write that changes nothing (a failed compare-exchange) only observes: that shows when
// it executes.
constexpr uint64_t op_bits(std::initializer_list<OpKind> kinds) {
  uint64_t bits = 0;
  for (const OpKind kind : kinds) bits |= uint64_t{1} << static_cast<int>(kind);
  return bits;
}
static_assert(kOpKinds <= 64);
constexpr bool observes(OpKind kind) {
  constexpr uint64_t kBits =
      op_bits({OpKind::read, OpKind::atomic_load, OpKind::atomic_rmw, OpKind::mutex_lock,
               OpKind::mutex_trylock, OpKind::cond_wait, OpKind::rwlock_read, OpKind::rwlock_write,
               OpKind::barrier_wait, OpKind::sem_wait, OpKind::sem_post, OpKind::spin_lock,
               OpKind::once, OpKind::futex_wait, OpKind::state_read, OpKind::state_write});
  return kBits >> (static_cast<unsigned>(kind) & 63) & 1;  // 63: a damaged record has any kind
}
constexpr bool may_change(OpKind kind) {
  constexpr uint64_t kBits =
      op_bits({OpKind::write, OpKind::atomic_store, OpKind::atomic_rmw, OpKind::mutex_lock,
               OpKind::mutex_trylock, OpKind::mutex_unlock, OpKind::cond_signal,
               OpKind::cond_broadcast, OpKind::rwlock_write, OpKind::rwlock_unlock,
               OpKind::barrier_wait, OpKind::sem_wait, OpKind::sem_post, OpKind::spin_lock,
               OpKind::spin_unlock, OpKind::once, OpKind::futex_wake, OpKind::state_write});
  return kBits >> (static_cast<unsigned>(kind) & 63) & 1;  // 63: a damaged record has any kind
}

// Takes or gives back a lock, or tries to: two of them may leave everything as it was.
constexpr bool is_about_lock(OpKind kind) {
  constexpr uint64_t kBits = op_bits(
      {OpKind::mutex_lock, OpKind::mutex_trylock, OpKind::mutex_unlock, OpKind::rwlock_read,
       OpKind::rwlock_write, OpKind::rwlock_unlock, OpKind::spin_lock, OpKind::spin_unlock});
  return kBits >> (static_cast<unsigned>(kind) & 63) & 1;
}

// Wants to lock or take something, and may end without it: it is taken, the time is up, a signal
// comes.
constexpr bool is_attempt(OpKind kind) {
  constexpr uint64_t kBits = op_bits({OpKind::mutex_lock, OpKind::mutex_trylock, OpKind::spin_lock,
                                      OpKind::rwlock_read, OpKind::rwlock_write, OpKind::sem_wait});
  return kBits >> (static_cast<unsigned>(kind) & 63) & 1;
}

// Abstract events: what operations are at the level of reads-from. The value of a location before
// anybody has written it counts as written, too.
constexpr uint64_t read_event(uint64_t name, uint64_t site) {
  return combine(combine(13, name), site);
}
constexpr uint64_t write_event(uint64_t name, uint64_t site) {
  return combine(combine(17, name), site);
}
constexpr uint64_t initial_write(uint64_t name) { return combine(11, name); }

// Two operations of different threads whose order can matter: they touch overlapping memory or the
// same object, and at least one of them changes it.
constexpr bool races(const Operation& a, const Operation& b) {
  if (a.object == 0 || b.object == 0) return false;
  if (only_reads(a.kind) && only_reads(b.kind)) return false;
  const uintptr_t a_end = a.object + (a.size ? a.size : 1);
  const uintptr_t b_end = b.object + (b.size ? b.size : 1);
  return a.object < b_end && b.object < a_end;
}

// The same question about one operation and many others.
class Reach {
 public:
  explicit constexpr Reach(const Operation& op)
      : begin_(op.object),
        end_(op.object + (op.size ? op.size : 1)),
        only_reads_(only_reads(op.kind)) {}

  constexpr bool races(const Operation& other) const {
    const uintptr_t end = other.object + (other.size ? other.size : 1);
    if (other.object >= end_ || begin_ >= end) return false;
    if (only_reads_ && only_reads(other.kind)) return false;
    return begin_ != 0 && other.object != 0;
  }

 private:
  uintptr_t begin_, end_;
  bool only_reads_;
};

// Choices other than "which thread runs next". They come from the same strategy and go into the
// same log.
enum class ChoiceKind : uint8_t {
  wake,    // which of n waiters a signal, post or wake reaches
  time,    // may the time-out of this wait strike while others could still run? 0 no, 1 yes
  sleep,   // the same for a plain sleep
  target,  // drawn by the program itself (jostle_choose, properties)
  // Of event loops, see runtime/interpose/descriptor/event_loop.h.
  ready,     // which of the ready descriptors is reported next; the last alternative: no more now
  late,      // does time pass first? 0 no, 1 until the time-out, 2 and nothing is reported then
  fault,     // --io-faults: 0 none, 1 a short transfer, 2 EAGAIN
  spurious,  // does a wait end without a signal? 0 no, 1 yes; see
             // runtime/scheduler/waits/spurious.h
  held_up,  // how late does an event loop learn that its time is up? 0 not, 1 a bit, 2 twice, 3 …
  // Of weak memory, see runtime/weak/weak_memory.h.
  stale,  // which store an atomic load reads: 0 the newest, 1 the one before, …
  place,  // where a store goes in the modification order: 0 behind all, …
  clock,  // 1: from here on it goes by large steps, 2: no more; see
          // runtime/scheduler/fairness/polling.h
  fails,  // 1: a compare_exchange_weak fails although the value is the expected one; see
          // runtime/scheduler/waits/spurious.h
};
constexpr bool is_of_memory(ChoiceKind kind) {
  return kind == ChoiceKind::stale || kind == ChoiceKind::place;
}
// What an atomic operation does: strategies that follow a log find it there by the operation.
constexpr bool is_of_access(ChoiceKind kind) {
  return is_of_memory(kind) || kind == ChoiceKind::fails;
}
// These belong to an operation of a thread, and only those that are not 0 are in the log.
constexpr bool is_of_operation(ChoiceKind kind) {
  return is_of_access(kind) || kind == ChoiceKind::clock;
}
std::string_view name(ChoiceKind kind);

}  // namespace jostle
