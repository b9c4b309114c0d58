// std::latch: nobody passes before the count is zero; count_down, try_wait, arrive_and_wait.
#include <latch>
#include <thread>
#include <vector>

#include "../check.h"

int main() {
  for (int round = 0; round < 10; round++) {
    constexpr int kThreads = 5;
    std::latch ready(kThreads), go(1), done(2 * kThreads);
    std::vector<int> prepared(kThreads), started(kThreads);
    bool released = false;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; i++) {
      threads.emplace_back([&, i] {
        prepared[i] = 1;
        ready.count_down();
        go.wait();
        CHECK(released);
        started[i] = 1;
        done.count_down(2);
      });
    }
    CHECK(!go.try_wait());
    ready.wait();
    for (int p : prepared) CHECK_EQ(p, 1);
    released = true;
    go.count_down();
    CHECK(go.try_wait());
    done.wait();
    for (int s : started) CHECK_EQ(s, 1);
    for (auto& t : threads) t.join();

    std::latch together(kThreads);
    std::vector<int> arrived(kThreads);
    threads.clear();
    for (size_t i = 0; i < kThreads; i++) {
      threads.emplace_back([&, i] {
        arrived[i] = 1;
        together.arrive_and_wait();
        for (int a : arrived) CHECK_EQ(a, 1);
      });
    }
    for (auto& t : threads) t.join();
  }
  std::latch zero(0);
  zero.wait();
  return check_passed("cxx_latch");
}

// SPDX-License-Identifier: Apache-2.0
