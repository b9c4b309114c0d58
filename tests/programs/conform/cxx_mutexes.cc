// The standard mutexes: mutex, recursive_mutex, timed_mutex, recursive_timed_mutex, shared_mutex,
// shared_timed_mutex.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

template <class M>
static void excludes() {
  M mutex;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&] {
      for (int k = 0; k < 40; k++) {
        if (k % 4 == 0) {
          while (!mutex.try_lock()) std::this_thread::yield();
        } else {
          mutex.lock();
        }
        counter++;
        mutex.unlock();
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK_EQ(counter, 160);
  mutex.lock();
  std::thread([&] { CHECK(!mutex.try_lock()); }).join();
  mutex.unlock();
  std::thread([&] {
    CHECK(mutex.try_lock());
    mutex.unlock();
  }).join();
}

template <class M>
static void times_out() {
  M mutex;
  CHECK(mutex.try_lock_for(0s));
  mutex.unlock();
  CHECK(mutex.try_lock_until(std::chrono::steady_clock::now() - 1s));  // free: taken all the same
  std::thread([&] {
    const auto before = std::chrono::steady_clock::now();
    CHECK(!mutex.try_lock_for(3ms));
    CHECK(std::chrono::steady_clock::now() - before >= 3ms);
    CHECK(!mutex.try_lock_for(-1s));
    CHECK(!mutex.try_lock_until(std::chrono::steady_clock::now() + 2ms));
    CHECK(!mutex.try_lock_until(std::chrono::system_clock::now() + 2ms));
  }).join();
  int guarded = 0;
  std::thread waits([&] {
    while (!mutex.try_lock_for(1h)) continue;
    CHECK_EQ(guarded, 1);
    mutex.unlock();
  });
  guarded = 1;
  mutex.unlock();
  waits.join();
}

template <class M>
static void nests() {
  M mutex;
  for (int i = 0; i < 10; i++) mutex.lock();
  CHECK(mutex.try_lock());
  mutex.unlock();
  for (int i = 0; i < 10; i++) {
    std::thread([&] { CHECK(!mutex.try_lock()); }).join();
    mutex.unlock();
  }
  std::thread([&] {
    CHECK(mutex.try_lock());
    mutex.unlock();
  }).join();
}

template <class M>
static void shares() {
  M mutex;
  mutex.lock_shared();
  std::thread([&] {
    CHECK(mutex.try_lock_shared());
    CHECK(!mutex.try_lock());
    mutex.unlock_shared();
  }).join();
  mutex.unlock_shared();
  mutex.lock();
  std::thread([&] {
    CHECK(!mutex.try_lock_shared());
    CHECK(!mutex.try_lock());
  }).join();
  mutex.unlock();
}

int main() {
  excludes<std::mutex>();
  excludes<std::recursive_mutex>();
  excludes<std::timed_mutex>();
  excludes<std::recursive_timed_mutex>();
  excludes<std::shared_mutex>();
  excludes<std::shared_timed_mutex>();
  times_out<std::timed_mutex>();
  times_out<std::recursive_timed_mutex>();
  times_out<std::shared_timed_mutex>();
  nests<std::recursive_mutex>();
  nests<std::recursive_timed_mutex>();
  shares<std::shared_mutex>();
  shares<std::shared_timed_mutex>();
  std::shared_timed_mutex timed;
  timed.lock();
  std::thread([&] { CHECK(!timed.try_lock_shared_for(2ms)); }).join();
  timed.unlock();
  CHECK(timed.try_lock_shared_until(std::chrono::system_clock::now() - 1s));
  timed.unlock_shared();
  return check_passed("cxx_mutexes");
}

// SPDX-License-Identifier: Apache-2.0
