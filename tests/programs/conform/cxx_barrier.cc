// std::barrier: phases, a completion function that runs once per phase before anyone leaves it,
// arrive and wait apart, arrive_and_drop.
#include <barrier>
#include <thread>
#include <vector>

#include "../check.h"

constexpr int kThreads = 4, kPhases = 20;

static void phases() {
  int completed = 0;  // written by the completion function only
  int arrived[kPhases][kThreads] = {};
  auto completion = [&]() noexcept {
    for (int a : arrived[completed]) CHECK_EQ(a, 1);
    completed++;
  };
  std::barrier barrier(kThreads, completion);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&, i] {
      for (int p = 0; p < kPhases; p++) {
        CHECK_EQ(completed, p);  // stable: the next completion needs this thread too
        arrived[p][i] = 1;
        if (p % 3 == 0)
          barrier.wait(barrier.arrive());
        else
          barrier.arrive_and_wait();
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK_EQ(completed, kPhases);
}

static void dropping() {
  // Thread i takes part in i + 1 phases, then leaves for good.
  std::barrier barrier(kThreads);
  int cells[kThreads] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&, i] {
      for (int p = 0; p < i; p++) {
        cells[i]++;
        barrier.arrive_and_wait();
        for (int k = p + 1; k < kThreads; k++) CHECK(cells[k] >= p + 1);
        barrier.arrive_and_wait();
      }
      barrier.arrive_and_drop();
    });
  }
  for (auto& t : threads) t.join();
  for (int i = 0; i < kThreads; i++) CHECK_EQ(cells[i], i);
}

int main() {
  phases();
  for (int i = 0; i < 5; i++) dropping();
  return check_passed("cxx_barrier");
}

// SPDX-License-Identifier: Apache-2.0
