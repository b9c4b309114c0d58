// Loops that wait. Rounds in vain do not count; with several locations a round may end as blocked.
#include <sched.h>

#include <atomic>

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

// SPDX-License-Identifier: Apache-2.0
