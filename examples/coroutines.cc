// Coroutines that share a cache. Whoever misses fetches the value, which takes a while, and stores
// it. No threads, no locks, no data race: but between the look and the store others run.
//
//   jostle c++ -std=c++20 -g -O1 coroutines.cc -o coroutines
//   jostle fuzz ./coroutines
#include <cassert>
#include <chrono>
#include <coroutine>
#include <exception>
#include <jostle/task_loop.hpp>
#include <map>
#include <string>

using namespace std::chrono_literals;

// A coroutine that starts at once and that nobody waits for.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

class Cache {
 public:
  explicit Cache(jostle::TaskLoop& loop) : loop_(loop) {}

  Detached fetch(std::string key) {
    co_await loop_.schedule();
    if (values_.contains(key)) co_return;
    co_await loop_.sleep_for(10ms);  // the server answers
    values_[key] = ++fetches_;
  }

  int fetches() const { return fetches_; }

 private:
  jostle::TaskLoop& loop_;
  std::map<std::string, int> values_;
  int fetches_ = 0;
};

Detached visit(jostle::TaskLoop& loop, Cache& cache, std::chrono::milliseconds when) {
  co_await loop.sleep_for(when);
  cache.fetch("front page");
}

int main() {
  jostle::TaskLoop loop;
  Cache cache(loop);
  visit(loop, cache, 0ms);
  visit(loop, cache, 50ms);  // long after the first has its answer, one should think
  loop.run();
  assert(cache.fetches() == 1);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
