// A doctest program that knows nothing of Jostle, with names that doctest reads as patterns.
// The framework is compiled with it, which takes long: not optimised, lines but no types.
// build: -O0 -g1
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

static int counted(bool safely) {
  std::atomic<int> n{0};
  const auto count = [&] { safely ? void(++n) : n.store(n.load() + 1); };
  std::thread one(count), two(count);
  one.join();
  two.join();
  return n;
}

TEST_CASE("adds up") { CHECK(counted(true) == 2); }
TEST_CASE("loses, one") { CHECK(counted(false) == 2); }
TEST_CASE("<star> & \"*\"") { CHECK(counted(true) == 2); }

TEST_SUITE_BEGIN("first");
TEST_CASE("twice") { CHECK(counted(true) == 2); }
TEST_SUITE_END();
TEST_SUITE_BEGIN("second");
TEST_CASE("twice") { CHECK(counted(false) == 2); }
TEST_SUITE_END();

TEST_CASE("skipped" * doctest::skip()) { CHECK(counted(false) == 2); }

// SPDX-License-Identifier: Apache-2.0
