// build: -latomic
// std::atomic algorithms: ticket lock, spin lock, tree of flags, Treiber stack, seqlock, Peterson;
// plain data behind them.
#include <atomic>
#include <thread>
#include <vector>

#include "../check.h"

constexpr int kThreads = 4, kRounds = 40;

template <class F>
static void in_threads(int n, F f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; i++) threads.emplace_back(f, i);
  for (auto& t : threads) t.join();
}

static void ticket_lock() {
  std::atomic<unsigned> next{0}, serving{0};
  int guarded = 0;
  in_threads(kThreads, [&](int) {
    for (int i = 0; i < kRounds; i++) {
      const unsigned mine = next.fetch_add(1, std::memory_order_relaxed);
      while (serving.load(std::memory_order_acquire) != mine) std::this_thread::yield();
      guarded++;
      serving.store(mine + 1, std::memory_order_release);
    }
  });
  CHECK_EQ(guarded, kThreads * kRounds);
}

static void flag_lock() {
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  int guarded = 0;
  in_threads(kThreads, [&](int) {
    for (int i = 0; i < kRounds; i++) {
      while (flag.test_and_set(std::memory_order_acquire)) {
        while (flag.test(std::memory_order_relaxed)) std::this_thread::yield();
      }
      guarded++;
      flag.clear(std::memory_order_release);
    }
  });
  CHECK_EQ(guarded, kThreads * kRounds);
}

static void peterson() {
  std::atomic<int> wants[2] = {0, 0}, turn{0};
  int guarded = 0;
  in_threads(2, [&](int me) {
    for (int i = 0; i < kRounds; i++) {
      wants[me] = 1;
      turn = 1 - me;
      while (wants[1 - me] && turn == 1 - me) std::this_thread::yield();
      guarded++;
      wants[me] = 0;
    }
  });
  CHECK_EQ(guarded, 2 * kRounds);
}

static void stack() {
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> head{nullptr};
  in_threads(kThreads, [&](int id) {
    for (int i = 0; i < kRounds; i++) {
      auto* node = new Node{id * kRounds + i, head.load(std::memory_order_relaxed)};
      while (!head.compare_exchange_weak(node->next, node, std::memory_order_release,
                                         std::memory_order_relaxed)) {
      }
    }
  });
  std::vector<int> seen(kThreads * kRounds);
  for (Node* n = head.exchange(nullptr, std::memory_order_acquire); n;) {
    seen[(size_t)n->value]++;
    Node* next = n->next;
    delete n;
    n = next;
  }
  for (int s : seen) CHECK_EQ(s, 1);
}

static void seqlock() {
  std::atomic<unsigned> sequence{0};
  std::atomic<int> a{0}, b{0};
  in_threads(3, [&](int id) {
    if (id == 0) {
      for (int i = 1; i <= kRounds; i++) {
        sequence.fetch_add(1);
        a.store(i);
        b.store(-i);
        sequence.fetch_add(1);
      }
      return;
    }
    for (int i = 0; i < kRounds; i++) {
      unsigned before, after;
      int x, y;
      do {
        before = sequence.load();
        x = a.load();
        y = b.load();
        after = sequence.load();
        if (before != after || before % 2) std::this_thread::yield();
      } while (before != after || before % 2);
      CHECK_EQ(x, -y);
    }
  });
}

int main() {
  ticket_lock();
  flag_lock();
  peterson();
  stack();
  seqlock();
  return check_passed("atomics_cxx");
}

// SPDX-License-Identifier: Apache-2.0
