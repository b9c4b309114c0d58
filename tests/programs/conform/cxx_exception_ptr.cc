// std::exception_ptr across threads: the same object, alive as long as anyone holds it, rethrown by
// many.
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

static std::atomic<int> alive{0};

struct Error : std::runtime_error {
  explicit Error(int n) : std::runtime_error("error " + std::to_string(n)), number(n) { alive++; }
  Error(const Error& other) : std::runtime_error(other), number(other.number) { alive++; }
  ~Error() override { alive--; }
  int number;
};

int main() {
  for (int round = 0; round < 10; round++) {
    std::vector<std::exception_ptr> collected;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([&, i] {
        try {
          throw Error(i);
        } catch (...) {
          std::lock_guard<std::mutex> lock(mutex);
          collected.push_back(std::current_exception());
        }
      });
    }
    for (auto& t : threads) t.join();
    CHECK_EQ(alive.load(), 4);
    int sum = 0;
    for (auto& e : collected) {
      try {
        std::rethrow_exception(e);
      } catch (const Error& error) {
        sum += error.number;
      }
    }
    CHECK_EQ(sum, 6);

    // Many threads rethrow one exception.
    std::exception_ptr shared = collected[0];
    collected.clear();
    CHECK_EQ(alive.load(), 1);
    threads.clear();
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([shared] {
        for (int k = 0; k < 5; k++) {
          try {
            std::rethrow_exception(shared);
          } catch (const Error& error) {
            CHECK(std::string(error.what()) == "error " + std::to_string(error.number));
          }
        }
      });
    }
    shared = nullptr;
    for (auto& t : threads) t.join();
    threads.clear();
    CHECK_EQ(alive.load(), 0);
  }
  auto made = std::make_exception_ptr(3);
  CHECK(made && made == std::exception_ptr(made));
  return check_passed("cxx_exception_ptr");
}

// SPDX-License-Identifier: Apache-2.0
