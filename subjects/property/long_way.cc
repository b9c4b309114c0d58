// One thread does many things before it looks at a flag that the other sets first of all.
//
// Wrong: the thread believes that the flag is set by the time it looks.
// Shown when: the input switches the look on, and the other thread's first step comes after all the
// steps of this one: a random choice at each step hardly ever waits that long.
// Failure: assert.
// From: the example of Sen's paper on effective random testing as in table 5.2 (ERT) of Sumit
// Padhiyar's thesis; what switches the look on is the input. Written from the description.
#include <atomic>
#include <cassert>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

namespace {

constexpr int kLooks = 2007;
constexpr int kSteps = 10;

void test(int input) {
  std::mutex lock;
  int work = 0;
  std::atomic<bool> is_set{false};
  const auto step = [&] {
    const std::lock_guard guard(lock);
    ++work;
  };
  std::thread setter([&] {
    is_set = true;
    for (int i = 0; i < kSteps; ++i) step();
  });
#ifdef FIXED
  while (!is_set) std::this_thread::yield();
#endif
  for (int i = 0; i < kSteps; ++i) step();
  if (input == kLooks) assert(is_set);
  setter.join();
}

}  // namespace

int main() { jostle::property("long_way", jostle::gen::any<int>().named("input"), test); }

// SPDX-License-Identifier: Apache-2.0
