// A Catch2 program that knows nothing of Jostle, with names that Catch2 reads as patterns.
// build: -lCatch2WithMain
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

static int counted(bool safely) {
  std::atomic<int> n{0};
  const auto count = [&] { safely ? void(++n) : n.store(n.load() + 1); };
  std::thread one(count), two(count);
  one.join();
  two.join();
  return n;
}

TEST_CASE("adds up", "[fast]") { REQUIRE(counted(true) == 2); }
TEST_CASE("loses, one [of two]", "[fast]") { REQUIRE(counted(false) == 2); }
TEST_CASE("\"quoted\" and \\ more", "[odd]") { REQUIRE(counted(false) == 2); }
TEST_CASE("~not this", "[odd]") { REQUIRE(counted(true) == 2); }
TEST_CASE("  space in front", "[odd]") { REQUIRE(counted(true) == 2); }
TEST_CASE("star*", "[odd]") { REQUIRE(counted(true) == 2); }
TEST_CASE("starts the same", "[odd]") { REQUIRE(counted(true) == 2); }
TEST_CASE("hidden", "[.]") { REQUIRE(counted(false) == 2); }

// SPDX-License-Identifier: Apache-2.0
