// A check in Catch2: one test case that passes, one that fails.
// Linked with Debian's main; catch2_main_tests.cc compiles it, as <jostle/catch2.hpp> says. The
// header takes long: not optimised, lines but no types.
// build: -O0 -g1 -lCatch2WithMain
#include <atomic>
#include <jostle/catch2.hpp>
#include <jostle/linearizable.hpp>
#include <thread>

TEST_CASE("adds") {
  jostle::check([] {
    std::atomic<int> n{0};
    std::thread one([&] { ++n; }), two([&] { ++n; });
    one.join();
    two.join();
    CHECK(n == 2);
  });
}

TEST_CASE("forgets") {
  jostle::check([] {
    std::atomic<int> n{0};
    std::thread one([&] { n = n + 1; }), two([&] { n = n + 1; });
    one.join();
    two.join();
    CHECK(n == 2);
  });
}

JOSTLE_LINEARIZABLE(AddsAtOnce) {
  auto n = share<std::atomic<int>>(0);
  operation("add", [=] { return n->fetch_add(1); });
}

JOSTLE_LINEARIZABLE(AddsInTwoSteps) {
  auto n = share<std::atomic<int>>(0);
  operation("add", [=] { return *n = *n + 1; });
}

// SPDX-License-Identifier: Apache-2.0
