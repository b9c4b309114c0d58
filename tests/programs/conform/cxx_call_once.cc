// std::call_once: once for many callers; an exception leaves it undone for the next caller;
// arguments are passed.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../check.h"

int main() {
  for (int round = 0; round < 10; round++) {
    std::once_flag flag;
    int runs = 0, value = 0;  // written inside the call only
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++) {
      threads.emplace_back([&] {
        std::call_once(
            flag,
            [&runs, &value](int v) {
              runs++;
              value = v;
            },
            33);
        CHECK_EQ(value, 33);
      });
    }
    for (auto& t : threads) t.join();
    CHECK_EQ(runs, 1);

    std::once_flag failing;
    int attempts = 0;
    std::atomic<int> caught{0};
    threads.clear();
    for (int i = 0; i < 6; i++) {
      threads.emplace_back([&] {
        try {
          std::call_once(failing, [&] {
            if (++attempts < 4) throw std::runtime_error("not yet");
          });
        } catch (const std::runtime_error&) {
          caught++;
        }
      });
    }
    for (auto& t : threads) t.join();
    CHECK_EQ(attempts, 4);
    CHECK_EQ(caught.load(), 3);
  }
  return check_passed("cxx_call_once");
}

// SPDX-License-Identifier: Apache-2.0
