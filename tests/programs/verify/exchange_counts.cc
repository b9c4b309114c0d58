// Compare-exchange: one that fails is a read.
#include <atomic>

#include "counted.h"

static std::atomic<int> x, top;
static std::atomic<int> table[128], below[32];

static bool exchange(std::atomic<int>& at, int expected, int wanted) {
  return at.compare_exchange_strong(expected, wanted);
}

static void next_in_turn(int i) { exchange(x, i, i + 1); }
COUNTED(casrot) { start_each<next_in_turn>(n); }

static void first_wins(int i) { exchange(x, 0, i + 1); }
COUNTED(cas) { start_each<first_wins>(n); }

// With --spurious each may also fail in front of the one that wins, or all do: 1 + n * 2^(n - 1).
static void first_may_win(int i) {
  int expected = 0;
  x.compare_exchange_weak(expected, i + 1);
}
COUNTED(weak_cas) { start_each<first_may_win>(n); }

static void exchange_then_store(int i) {
  exchange(x, 0, 1);
  x = i + 3;
}
COUNTED(casw) { start_each<exchange_then_store>(n); }

static void store_two(int) { x = 2; }
static void two_to_three(int) { exchange(x, 2, 3); }
COUNTED(wcas) {
  start<store_two>();
  start_each<two_to_three>(n);
}

static void insert_four(int thread) {
  for (int i = 0; i < 4; ++i) {
    const int key = 11 * i + thread;
    int at = 7 * key % 128;
    while (!exchange(table[at], 0, key + 1)) at = (at + 1) % 128;
  }
}
COUNTED(indexer) { start_each<insert_four>(n); }

// Treiber's stack.
static void push(int i) {
  int before;
  do {
    before = top;
    below[i] = before;
  } while (!exchange(top, before, i + 1));
}
COUNTED(treiber_push) { start_each<push>(n); }

// SPDX-License-Identifier: Apache-2.0
