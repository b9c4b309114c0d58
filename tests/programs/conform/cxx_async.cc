// std::async: a thread of its own or deferred to the getter; results, exceptions, the future's
// destructor joins.
#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../check.h"

using namespace std::chrono_literals;

static int sum(const std::vector<int>& v, size_t from, size_t to) {
  if (to - from <= 25) return std::accumulate(v.begin() + (long)from, v.begin() + (long)to, 0);
  const size_t middle = (from + to) / 2;
  auto left = std::async(std::launch::async, sum, std::cref(v), from, middle);
  const int right = sum(v, middle, to);
  return left.get() + right;
}

int main() {
  const auto self = std::this_thread::get_id();
  auto own = std::async(std::launch::async, [] { return std::this_thread::get_id(); });
  CHECK(own.get() != self);

  // Deferred: runs in get(), in the caller, once, or never.
  int runs = 0;
  auto deferred = std::async(std::launch::deferred, [&] {
    runs++;
    return std::this_thread::get_id();
  });
  CHECK(deferred.wait_for(0s) == std::future_status::deferred);
  CHECK_EQ(runs, 0);
  CHECK(deferred.get() == self);
  CHECK_EQ(runs, 1);
  {
    auto never = std::async(std::launch::deferred, [&] { runs += 100; });
  }
  CHECK_EQ(runs, 1);

  std::vector<int> numbers(400);
  std::iota(numbers.begin(), numbers.end(), 1);
  CHECK_EQ(sum(numbers, 0, numbers.size()), 400 * 401 / 2);

  auto fails = std::async(std::launch::async, []() -> int { throw std::out_of_range("far"); });
  try {
    fails.get();
    CHECK(!"no exception");
  } catch (const std::out_of_range&) {
  }

  std::atomic<int> finished{0};
  {
    auto one = std::async(std::launch::async, [&] { finished++; });
    auto two = std::async(std::launch::async, [&] { finished++; });
  }
  CHECK_EQ(finished.load(), 2);

  auto either = std::async([] { return 8; });  // the library may choose
  CHECK_EQ(either.get(), 8);
  return check_passed("cxx_async");
}

// SPDX-License-Identifier: Apache-2.0
