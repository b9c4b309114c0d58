// Exceptions thrown, caught and carried between threads, with the order of it all.
#include <cstdio>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static int sequence;

static void say(const std::string& text) {
  std::lock_guard<std::mutex> lock(mutex);
  std::printf("%3d %s\n", ++sequence, text.c_str());
}

struct Unwound {
  explicit Unwound(int i) : id(i) {}
  ~Unwound() { say("unwinding " + std::to_string(id)); }
  int id;
};

static int fragile(int id) {
  Unwound u(id);
  if (id % 2) throw std::runtime_error("odd " + std::to_string(id));
  if (id % 3 == 0) throw id;
  return id * 10;
}

int main() {
  std::vector<std::future<int>> results;
  for (int i = 0; i < 12; i++) results.push_back(std::async(std::launch::async, fragile, i));
  std::vector<std::exception_ptr> errors;
  for (auto& r : results) {
    try {
      say("value " + std::to_string(r.get()));
    } catch (const std::exception& e) {
      say(std::string("exception ") + e.what());
      errors.push_back(std::current_exception());
    } catch (int n) {
      say("number " + std::to_string(n));
    }
  }
  std::vector<std::thread> threads;
  for (const auto& e : errors) {
    threads.emplace_back([e] {
      try {
        std::rethrow_exception(e);
      } catch (const std::runtime_error& again) {
        say(std::string("again ") + again.what());
      }
    });
  }
  for (auto& t : threads) t.join();
}

// SPDX-License-Identifier: Apache-2.0
