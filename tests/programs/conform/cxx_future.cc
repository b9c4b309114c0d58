// Futures and promises: values, references, exceptions, broken promises, time-outs, shared futures,
// misuse.
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

template <class F>
static void throws(std::future_errc code, F f) {
  try {
    f();
    CHECK(!"no exception");
  } catch (const std::future_error& e) {
    CHECK(e.code() == code);
  }
}

int main() {
  for (int i = 0; i < 20; i++) {
    std::promise<std::string> p;
    auto f = p.get_future();
    std::thread t([&p, i] { p.set_value(std::string(100, (char)('a' + i))); });
    CHECK(f.get() == std::string(100, (char)('a' + i)));
    CHECK(!f.valid());
    t.join();
  }
  {
    std::promise<int> p;
    auto f = p.get_future();
    CHECK(f.wait_for(0s) == std::future_status::timeout);
    const auto before = std::chrono::steady_clock::now();
    CHECK(f.wait_for(3ms) == std::future_status::timeout);
    CHECK(std::chrono::steady_clock::now() - before >= 3ms);
    CHECK(f.wait_until(std::chrono::system_clock::now() + 2ms) == std::future_status::timeout);
    std::thread t([&p] { p.set_value(5); });
    while (f.wait_for(1h) != std::future_status::ready) continue;
    CHECK(f.wait_for(0s) == std::future_status::ready);
    CHECK_EQ(f.get(), 5);
    t.join();
    throws(std::future_errc::promise_already_satisfied, [&] { p.set_value(6); });
    throws(std::future_errc::future_already_retrieved, [&] { p.get_future(); });
    throws(std::future_errc::no_state, [&] { f.get(); });
  }
  {
    std::promise<void> p;
    auto f = p.get_future();
    std::thread t([&p] {
      try {
        throw std::runtime_error("from thread");
      } catch (...) {
        p.set_exception(std::current_exception());
      }
    });
    try {
      f.get();
      CHECK(!"no exception");
    } catch (const std::runtime_error& e) {
      CHECK(std::string(e.what()) == "from thread");
    }
    t.join();
  }
  {
    auto p = std::make_unique<std::promise<int>>();
    auto f = p->get_future();
    std::thread t([&p] { p.reset(); });
    throws(std::future_errc::broken_promise, [&] { f.get(); });
    t.join();
  }
  {
    int target = 1;
    std::promise<int&> p;
    auto f = p.get_future();
    std::thread t([&] { p.set_value(target); });
    f.get() = 9;
    t.join();
    CHECK_EQ(target, 9);
  }
  {
    std::promise<int> p;
    std::shared_future<int> shared = p.get_future().share();
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; i++) {
      readers.emplace_back([shared] {
        CHECK_EQ(shared.get(), 12);
        CHECK_EQ(shared.get(), 12);
      });
    }
    p.set_value(12);
    for (auto& t : readers) t.join();
    CHECK(shared.valid());
  }
  {
    // Ready only when the thread is gone.
    std::promise<int> p;
    auto f = p.get_future();
    std::thread t([&p] { p.set_value_at_thread_exit(3); });
    CHECK_EQ(f.get(), 3);
    t.join();
  }
  return check_passed("cxx_future");
}

// SPDX-License-Identifier: Apache-2.0
