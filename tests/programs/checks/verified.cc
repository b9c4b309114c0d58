// SPDX-License-Identifier: Apache-2.0
// Checks that want every execution, by argument; prints what came of each.
// build: -std=c++20
#include <atomic>
#include <cstdio>
#include <cstring>
#include <jostle/jostle.hpp>
#include <thread>

namespace {

void add_twice() {
  std::atomic<int> n{0};
  std::thread other([&] { ++n; });
  ++n;
  other.join();
  jostle::require(n == 2);
}

void lose_one() {
  std::atomic<int> n{0};
  std::thread other([&] { n = n + 1; });
  n = n + 1;
  other.join();
  jostle::require(n == 2, "one was lost");
}

void add(int first, bool again) {
  std::atomic<int> n{0};
  std::thread other([&] { n += first; });
  if (again) ++n;
  other.join();
  jostle::require(n == first + again);
}

template <typename Verify>
int say(Verify&& verify) {
  try {
    verify();
  } catch (const jostle::failure& failure) {
    std::printf("failed: %s\n", failure.what());
    return 1;
  }
  std::puts("verified");
  return 0;
}

}  // namespace

int main(int, char** words) {
  const auto asks_for = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  if (asks_for("holds")) return say([] { jostle::verify(add_twice, {.name = "holds"}); });
  if (asks_for("fails")) return say([] { jostle::verify(lose_one, {.name = "fails"}); });
  if (asks_for("few")) {
    return say([] {
      jostle::for_all(jostle::gen::range(0, 3), jostle::gen::boolean())
          .verify(add, {.name = "few values"});
    });
  }
  return say([] {
    jostle::for_all(jostle::gen::any<int>(), jostle::gen::boolean())
        .verify(add, {.name = "many values"});
  });
}
