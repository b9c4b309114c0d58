// Lock objects: lock_guard, unique_lock in all its states, scoped_lock and std::lock without
// deadlock, shared_lock, std::try_lock, errors.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

static bool free_for_others(std::mutex& m) {
  bool got = false;
  std::thread([&] {
    got = m.try_lock();
    if (got) m.unlock();
  }).join();
  return got;
}

template <class F>
static void throws(std::errc code, F f) {
  try {
    f();
    CHECK(!"no exception");
  } catch (const std::system_error& e) {
    CHECK(e.code() == code);
  }
}

int main() {
  std::mutex a, b, c;
  {
    std::lock_guard<std::mutex> guard(a);
    CHECK(!free_for_others(a));
  }
  CHECK(free_for_others(a));
  a.lock();
  { std::lock_guard<std::mutex> guard(a, std::adopt_lock); }
  CHECK(free_for_others(a));

  std::unique_lock<std::mutex> lock(a, std::defer_lock);
  CHECK(!lock.owns_lock() && free_for_others(a));
  lock.lock();
  CHECK(lock && !free_for_others(a));
  throws(std::errc::resource_deadlock_would_occur, [&] { lock.lock(); });
  lock.unlock();
  throws(std::errc::operation_not_permitted, [&] { lock.unlock(); });
  CHECK(lock.try_lock());
  std::unique_lock<std::mutex> moved(std::move(lock));
  CHECK(!lock.owns_lock() && moved.owns_lock() && moved.mutex() == &a);
  std::thread([&] {
    std::unique_lock<std::mutex> attempt(a, std::try_to_lock);
    CHECK(!attempt);
  }).join();
  CHECK(moved.release() == &a);
  a.unlock();
  throws(std::errc::operation_not_permitted, [&] { std::unique_lock<std::mutex>().lock(); });

  // Three mutexes in three different orders: never a deadlock.
  int counter = 0;
  auto work = [&](std::mutex& x, std::mutex& y, std::mutex& z) {
    for (int i = 0; i < 30; i++) {
      std::scoped_lock all(x, y, z);
      counter++;
    }
  };
  auto work_lock = [&](std::mutex& x, std::mutex& y) {
    for (int i = 0; i < 30; i++) {
      std::lock(x, y);
      std::lock_guard<std::mutex> g1(x, std::adopt_lock), g2(y, std::adopt_lock);
      std::lock_guard<std::mutex> third(&x == &c || &y == &c ? (&x == &a || &y == &a ? b : a) : c);
      counter++;
    }
  };
  {
    std::vector<std::thread> threads;
    threads.emplace_back([&] { work(a, b, c); });
    threads.emplace_back([&] { work(b, c, a); });
    threads.emplace_back([&] { work(c, b, a); });
    threads.emplace_back([&] { work_lock(a, b); });
    threads.emplace_back([&] { work_lock(b, a); });
    for (auto& t : threads) t.join();
  }
  CHECK_EQ(counter, 150);

  CHECK_EQ(std::try_lock(a, b, c), -1);
  std::thread([&] { CHECK_EQ(std::try_lock(a, b), 0); }).join();
  a.unlock();
  std::thread([&] { CHECK_EQ(std::try_lock(a, b), 1); }).join();
  CHECK(free_for_others(a));  // the failed try_lock let go of a
  b.unlock();
  c.unlock();

  std::shared_timed_mutex shared;
  {
    std::shared_lock<std::shared_timed_mutex> r1(shared), r2(shared, std::defer_lock);
    std::thread([&] {
      std::shared_lock<std::shared_timed_mutex> r(shared, std::try_to_lock);
      CHECK(r.owns_lock());
      std::unique_lock<std::shared_timed_mutex> w(shared, std::try_to_lock);
      CHECK(!w.owns_lock());
      std::unique_lock<std::shared_timed_mutex> timed(shared, 2ms);
      CHECK(!timed.owns_lock());
    }).join();
    CHECK(!r2.owns_lock());
  }
  std::unique_lock<std::shared_timed_mutex> w(shared, 1h);
  CHECK(w.owns_lock());
  return check_passed("cxx_locks");
}

// SPDX-License-Identifier: Apache-2.0
