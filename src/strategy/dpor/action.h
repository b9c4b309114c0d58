// SPDX-License-Identifier: Apache-2.0
// What threads do, as far as the reduced search (reduced_search.h) has to know it.
//
// An action is one visible event: a few parts, each of which does one thing to one object. Memory,
// locks and semaphores take one part. Primitives that do more are taken apart by the caller:
//
//   mutex, spin lock      lock, try_lock, unlock; inner levels of a recursive one have no parts
//   read-write lock       share, try_share, unshare for readers; the above for writers
//   semaphore             post, take, try_take
//   condition variable    wait, first half:   {condition, enter} {mutex, unlock}
//                         wait, second half:  {mutex, lock}, enabled by the signal
//                         time-out:           {condition, leave} {mutex, lock}
//                         signal, broadcast;  which waiter a signal wakes is a choice
//   cancellation          write; where a thread looks for it: read. Who waits for a condition
//   variable
//                         is taken out of it: {condition, expel}. A wait that ends by it is
//                         enabled by it
//   barrier               arrive; what the others do next is enabled by the last arrival
//   lock with a time-out  try_lock, try_share, try_take: it may strike wherever the lock is held
//   once                  update (who makes the call), write at its end, await for the others
//   thread create, join   no parts. The first action of a thread is enabled by its creation, a join
//                         by the last action of the thread
//   choice                of the action in which it is asked for; an action may have several
//   loop that only waits  await: a read that is disabled while the condition does not hold;
//                         await_update: the same for a compare-exchange or an exchange. One that
//                         fails may go on all the same, with the value that it has found
//   wide access           one part for each cell
#pragma once

#include <cstdint>

#include "src/schedule/act.h"

namespace jostle::dpor {

// Dense, and the same in every run: by spawn path.
using Thread = uint32_t;
inline constexpr uint32_t kNone = UINT32_MAX;

struct Part {
  uint64_t object;  // a name that is the same in every run
  Act act;
  // What the object holds before and after the action. Memory: its value; semaphore: its count.
  uint64_t before = 0;
  uint64_t after = 0;
  bool took_effect = true;  // always, unless it is one that may_fail
  // An update that compares (compare-exchange) stores only if the value is `operand`. A signal: the
  // thread that it woke; expel: which it takes out.
  bool compares = false;
  uint64_t operand = 0;
  // Of an atomic operation with weak memory, whose order among others is not what matters.
  bool is_weak = false;
  // An await: which condition it is, see AwaitConditions.
  uint64_t condition = 0;
};

// A decision inside of an action that is not about threads.
struct Choice {
  uint32_t alternatives;
  uint32_t taken;
  // Which store is read, or where one is placed: how many alternatives there are depends on what
  // others have done, and what the action does on which one is taken.
  bool is_of_memory = false;
};

struct Action {
  Thread thread = 0;
  const Part* parts = nullptr;
  uint32_t part_count = 0;
  // The event (its ordinal in this run) without which the thread could not go on, whatever the
  // objects say: its creation, the signal that woke it, the last arrival at a barrier.
  uint32_t enabler = kNone;
  // It could go on only because nobody else could, so that time passed (a time-out): so many events
  // of the run are before it, those until then. Others may have been let go on at the same time.
  uint32_t follows_first = 0;
  const Choice* choices = nullptr;
  uint32_t choice_count = 0;
};

// Threads have numbers in one search, and names that are the same in all.
class ThreadNames {
 public:
  virtual ~ThreadNames() = default;
  virtual uint64_t name_of(Thread thread) const = 0;
  virtual Thread thread_of(uint64_t name) = 0;
};

// Would an await go on if its object had that value?
class AwaitConditions {
 public:
  virtual ~AwaitConditions() = default;
  virtual bool passes(uint64_t condition, uint64_t value) const = 0;
};

}  // namespace jostle::dpor
