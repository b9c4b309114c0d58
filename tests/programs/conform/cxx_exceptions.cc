// Exceptions in several threads at once: caught where thrown, nested, rethrown, with switches in
// between; uncaught_exceptions and current_exception are per thread.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

static std::mutex mutex;

struct Switches {
  explicit Switches(int expected) : expected_(expected) {}
  ~Switches() {
    CHECK_EQ(std::uncaught_exceptions(), expected_);
    std::lock_guard<std::mutex> lock(mutex);  // others run, and throw, while this one unwinds
    CHECK_EQ(std::uncaught_exceptions(), expected_);
  }
  int expected_;
};

struct ThrowsInside {
  ~ThrowsInside() {  // an exception that starts and ends during unwinding
    try {
      Switches s(2);
      throw std::logic_error("inside");
    } catch (const std::logic_error& e) {
      CHECK(std::string(e.what()) == "inside");
    }
    CHECK_EQ(std::uncaught_exceptions(), 1);
  }
};

static void thrower(int depth, int id) {
  Switches s(1);
  if (depth == 0) throw std::runtime_error("id " + std::to_string(id));
  thrower(depth - 1, id);
}

static void work(int id) {
  for (int i = 0; i < 15; i++) {
    CHECK(!std::current_exception());
    try {
      ThrowsInside t;
      thrower(5, id * 100 + i);
    } catch (const std::exception& e) {
      CHECK(std::string(e.what()) == "id " + std::to_string(id * 100 + i));
      CHECK_EQ(std::uncaught_exceptions(), 0);
      try {
        std::lock_guard<std::mutex> lock(mutex);
        throw;  // the same one again
      } catch (std::runtime_error& again) {
        CHECK(&again == &e);
        CHECK(std::current_exception());
      }
      try {
        std::throw_with_nested(std::logic_error("outer"));
      } catch (const std::logic_error& outer) {
        try {
          std::rethrow_if_nested(outer);
          CHECK(!"nothing nested");
        } catch (const std::runtime_error& inner) {
          CHECK(std::string(inner.what()) == e.what());
        }
      }
    }
    try {
      throw id;
    } catch (int thrown) {
      CHECK_EQ(thrown, id);
    }
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; i++) threads.emplace_back(work, i);
  work(0);
  for (auto& t : threads) t.join();
  return check_passed("cxx_exceptions");
}

// SPDX-License-Identifier: Apache-2.0
