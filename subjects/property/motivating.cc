// One thread stores 2 if the input is 10, the other stores 1; afterwards it must not be 2.
//
// Wrong: which of the two stores comes last.
// Shown when: the input is 10 and main's store comes between the other thread's test and its store.
// Failure: assert.
// From: figure 5.1 (the motivating example, MX) of Sumit Padhiyar's thesis on property-based
// concurrency fuzzing.
#include <atomic>
#include <cassert>
#include <jostle/jostle.hpp>
#include <thread>

static void test(long i) {
  std::atomic<long> x{i};
  std::atomic<int> y{0};
  std::thread other([&] {
    if (x == 10) y = 2;
  });
#ifdef FIXED
  other.join();
  y = 1;
#else
  y = 1;
  other.join();
#endif
  assert(y != 2);
}

int main() { jostle::property("motivating", jostle::gen::any<long>().named("i"), test); }

// SPDX-License-Identifier: Apache-2.0
