// std::condition_variable_any with other lock types, and its waits that a stop_token interrupts.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

int main() {
  std::condition_variable_any cond;

  // Readers of a shared_mutex wait together.
  std::shared_mutex shared;
  int version = 0, woken = 0;
  std::mutex woken_mutex;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; i++) {
    readers.emplace_back([&] {
      std::shared_lock<std::shared_mutex> lock(shared);
      cond.wait(lock, [&] { return version == 1; });
      std::lock_guard<std::mutex> guard(woken_mutex);
      woken++;
    });
  }
  {
    std::unique_lock<std::shared_mutex> lock(shared);
    version = 1;
  }
  cond.notify_all();
  for (auto& t : readers) t.join();
  CHECK_EQ(woken, 4);

  // A recursive mutex and a bare mutex as the lock itself.
  std::recursive_mutex recursive;
  bool flag = false;
  std::thread setter([&] {
    std::lock_guard<std::recursive_mutex> lock(recursive);
    flag = true;
    cond.notify_one();
  });
  recursive.lock();
  while (!flag) cond.wait(recursive);
  recursive.unlock();
  setter.join();

  std::mutex mutex;
  {
    std::unique_lock<std::mutex> lock(mutex);
    const auto before = std::chrono::steady_clock::now();
    CHECK(!cond.wait_for(lock, 3ms, [] { return false; }));
    CHECK(std::chrono::steady_clock::now() - before >= 3ms);
  }

  // Interruptible waits: false when stopped without the predicate, true when the predicate holds.
  for (int i = 0; i < 20; i++) {
    bool ready = false;
    std::jthread waits([&](std::stop_token token) {
      std::unique_lock<std::mutex> lock(mutex);
      CHECK(!cond.wait(lock, token, [&] { return ready; }));
      CHECK(token.stop_requested());
      CHECK(!cond.wait_for(lock, token, 1h, [&] { return ready; }));
      CHECK(cond.wait(lock, token, [] { return true; }));
    });
    if (i % 2) cond.notify_all();
    waits.request_stop();
    waits.join();
  }
  std::stop_source unused;
  bool ready = false;
  std::thread sets([&] {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ready = true;
    }
    cond.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    CHECK(cond.wait(lock, unused.get_token(), [&] { return ready; }));
    CHECK(!cond.wait_for(lock, unused.get_token(), 2ms, [] { return false; }));
  }
  sets.join();
  return check_passed("cxx_condition_variable_any");
}

// SPDX-License-Identifier: Apache-2.0
