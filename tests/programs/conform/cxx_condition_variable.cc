// std::condition_variable: wait with and without predicate, wait_for, wait_until on both clocks,
// notify_one, notify_all, notify_all_at_thread_exit, a queue.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

static std::mutex mutex;
static std::condition_variable cond;

static void times_out() {
  std::unique_lock<std::mutex> lock(mutex);
  const auto steady = std::chrono::steady_clock::now() + 3ms;
  while (cond.wait_until(lock, steady) == std::cv_status::no_timeout) continue;
  CHECK(std::chrono::steady_clock::now() >= steady);
  CHECK(lock.owns_lock());
  const auto wall = std::chrono::system_clock::now() + 3ms;
  while (cond.wait_until(lock, wall) == std::cv_status::no_timeout) continue;
  CHECK(std::chrono::system_clock::now() >= wall);
  const auto before = std::chrono::steady_clock::now();
  CHECK(!cond.wait_for(lock, 3ms, [] { return false; }));
  CHECK(std::chrono::steady_clock::now() - before >= 3ms);
  CHECK(cond.wait_for(lock, 0s, [] { return true; }));
  CHECK(!cond.wait_until(lock, std::chrono::steady_clock::now() - 1s, [] { return false; }));
  CHECK(cond.wait_for(lock, -5s) == std::cv_status::timeout);
}

static void queue() {
  std::deque<int> items;
  bool closed = false;
  int sum = 0;
  std::vector<std::thread> consumers, producers;
  for (int i = 0; i < 3; i++) {
    consumers.emplace_back([&] {
      for (;;) {
        std::unique_lock<std::mutex> lock(mutex);
        cond.wait(lock, [&] { return closed || !items.empty(); });
        if (items.empty()) return;
        sum += items.front();
        items.pop_front();
      }
    });
    producers.emplace_back([&, i] {
      for (int k = 1; k <= 30; k++) {
        {
          std::lock_guard<std::mutex> lock(mutex);
          items.push_back(i * 1000 + k);
        }
        cond.notify_one();
      }
    });
  }
  for (auto& t : producers) t.join();
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
  }
  cond.notify_all();
  for (auto& t : consumers) t.join();
  CHECK_EQ(sum, 3 * 465 + 30 * 3000);
}

struct LastWords {
  ~LastWords() { said = true; }
  int touched = 0;
  static bool said;
};
bool LastWords::said = false;

static void at_thread_exit() {
  bool ready = false;
  std::thread t([&] {
    static thread_local LastWords words;
    words.touched = 1;
    std::unique_lock<std::mutex> lock(mutex);
    ready = true;
    std::notify_all_at_thread_exit(cond, std::move(lock));
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    cond.wait(lock, [&] { return ready; });
    CHECK(LastWords::said);  // thread_local destructors ran before the mutex was released
  }
  t.join();
}

int main() {
  times_out();
  queue();
  at_thread_exit();
  for (int i = 0; i < 20; i++) {
    bool flag = false;
    std::thread t([&] {
      std::lock_guard<std::mutex> lock(mutex);
      flag = true;
      cond.notify_one();
    });
    {
      std::unique_lock<std::mutex> lock(mutex);
      while (!cond.wait_for(lock, i % 2 ? 1ms : 1000s, [&] { return flag; })) continue;
      CHECK(flag);
    }
    t.join();
  }
  return check_passed("cxx_condition_variable");
}

// SPDX-License-Identifier: Apache-2.0
