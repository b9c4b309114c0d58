// Loops that wait. Rounds in vain do not count; with several locations a round may end as blocked.
#include <sched.h>

#include <atomic>
#include <mutex>

#include "counted.h"

static std::atomic<int> next_ticket, now_served, x, held, turn, flag;
static std::atomic<int> wants[2];

static void increment() {
  const int before = x;
  x = before + 1;
}

static void ticket_lock(int) {
  const int own = next_ticket++;
  while (now_served != own) {
  }
  increment();
  now_served = own + 1;
}
COUNTED(ticket) { start_each<ticket_lock>(n); }

static void polite_ticket_lock(int) {
  const int own = next_ticket++;
  while (now_served != own) sched_yield();
  increment();
  now_served = own + 1;
}
COUNTED(ticket_yield) { start_each<polite_ticket_lock>(n); }

static void exchange_lock(int) {
  for (int expected = 0; !held.compare_exchange_strong(expected, 1);) expected = 0;
  increment();
  held = 0;
}
COUNTED(casspin) { start_each<exchange_lock>(n); }

static void test_and_set_lock(int) {
  while (held.exchange(1)) {
  }
  increment();
  held = 0;
}
COUNTED(test_and_set) { start_each<test_and_set_lock>(n); }

static void look_first_lock(int) {
  while (held.exchange(1)) {
    while (held) {
    }
  }
  increment();
  held = 0;
}
COUNTED(test_test_and_set) { start_each<look_first_lock>(n); }

// Lamport's bakery: a loop that reads at many places.
static std::atomic<int> chooses[2], number[2];
static void bakery_lock(int i) {
  const int other = 1 - i;
  chooses[i] = 1;
  number[i] = number[other] + 1;
  chooses[i] = 0;
  while (chooses[other]) {
  }
  while (number[other] &&
         (number[other] < number[i] || (number[other] == number[i] && other < i))) {
  }
  increment();
  number[i] = 0;
}
COUNTED(bakery) { start_each<bakery_lock>(n); }

// The lock is the lowest bit of what it guards, as in std::atomic<std::shared_ptr>: who fails goes
// on with the value that was there, and waits where that is the one that it expects, but locked.
static void add_in_locked_word(int) {
  int known = held;
  while ((known & 1) != 0) known = held;
  while (!held.compare_exchange_strong(known, known | 1)) known &= ~1;
  held.exchange(known + 2);
}
COUNTED(lock_bit) { start_each<add_in_locked_word>(n); }

static void peterson_lock(int me) {
  wants[me] = 1;
  turn = 1 - me;
  while (wants[1 - me] == 1 && turn == 1 - me) {
  }
  x = 0;
  x.load();
  wants[me] = 0;
}
COUNTED(peterson) { start_each<peterson_lock>(2); }

static void wait_then_store(int) {
  while (!flag) {
  }
  x = 1;
}
static void store_then_raise(int) {
  x = 2;
  flag = 1;
}
static void store_only(int) { x = 2; }
COUNTED(wait_for_flag) { start<wait_then_store>(), start<store_then_raise>(); }
COUNTED(wait_for_nobody) { start<wait_then_store>(), start<store_only>(); }

static void take_turns(int me) {
  for (int i = 0; i < 2; ++i) {
    while (turn != me) {
    }
    ++x;
    turn = 1 - me;
  }
}
COUNTED(ping_pong) { start_each<take_turns>(2); }

// Under a lock: whoever polls gives back what it took.
static std::mutex mutex;
static bool is_raised() {
  const std::lock_guard guard(mutex);
  return flag != 0;
}
static void poll_then_store(int) {
  while (!is_raised()) sched_yield();
  x = 1;
}
static void store_then_raise_locked(int) {
  x = 2;
  const std::lock_guard guard(mutex);
  flag = 1;
}
COUNTED(poll) {
  start_each<poll_then_store>(n);
  start<store_then_raise_locked>();
}

static void try_until_locked(int) {
  while (!mutex.try_lock()) {
  }
  increment();
  mutex.unlock();
}
COUNTED(try_until) { start_each<try_until_locked>(n); }

// Some rounds look different: it is back where it was after four.
static std::atomic<bool> taken;
static void spin_and_yield(int) {
  for (int round = 0; taken.exchange(true); ++round) {
    if (round == 3) round = -1, sched_yield();
  }
  increment();
  taken = false;
}
COUNTED(spin_some) { start_each<spin_and_yield>(2); }

// A ring whose two sides keep what they last saw of each other. Each round writes that down, most
// often as it was.
static struct {
  int slot;
  alignas(64) std::atomic<unsigned> head;
  unsigned tail_seen;
  alignas(64) std::atomic<unsigned> tail;
  unsigned head_seen;
} ring;
static bool push(int value) {
  const unsigned at = ring.tail.load(std::memory_order_relaxed);
  if (at - ring.head_seen == 1) {
    ring.head_seen = ring.head.load(std::memory_order_acquire);
    if (at - ring.head_seen == 1) return false;
  }
  ring.slot = value;
  ring.tail.store(at + 1, std::memory_order_release);
  return true;
}
static bool pop(int& value) {
  const unsigned at = ring.head.load(std::memory_order_relaxed);
  if (at == ring.tail_seen) {
    ring.tail_seen = ring.tail.load(std::memory_order_acquire);
    if (at == ring.tail_seen) return false;
  }
  value = ring.slot;
  ring.head.store(at + 1, std::memory_order_release);
  return true;
}
static void push_all(int) {
  for (int i = 1; i <= 2; ++i) {
    while (!push(i)) sched_yield();
  }
}
static void pop_all(int) {
  for (int i = 1, value; i <= 2; ++i) {
    while (!pop(value)) sched_yield();
    if (value != i) abort();
  }
}
COUNTED(cached_index) { start<push_all>(), start<pop_all>(); }

// A round that writes what is there already changes something when others have written before.
static int written;
static void write_while_waiting(int) {
  while (!flag) written = 0;
  if (written != 1) abort();
}
static void write_and_raise(int) {
  written = 1;
  flag = 1;
}
COUNTED(overwrites) { start<write_while_waiting>(), start<write_and_raise>(); }

// Others notice a round that is left out.
static void try_then_raise(int i) {
  if (mutex.try_lock()) mutex.unlock();
  store_then_raise_locked(i);
}
COUNTED(poll_noticed) { start<poll_then_store>(), start<try_then_raise>(); }

// A queue of waiters (the lock of Mellor-Crummey and Scott): each waits for a word of its own, of
// which the first runs do not show yet that anybody else writes it.
struct Waiter {
  std::atomic<Waiter*> next;
  std::atomic<bool> waits{true};
};
static Waiter waiters[2];
static std::atomic<Waiter*> last_waiter;
static void queue_up(int i) {
  Waiter* me = &waiters[i];
  if (Waiter* before = last_waiter.exchange(me)) {
    before->next = me;
    while (me->waits) sched_yield();
  }
  Waiter* behind = me;
  if (last_waiter.compare_exchange_strong(behind, nullptr)) return;
  while (!(behind = me->next)) sched_yield();
  behind->waits = false;
}
COUNTED(queue_lock) { start_each<queue_up>(2); }

// SPDX-License-Identifier: Apache-2.0
