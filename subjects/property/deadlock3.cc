// Three threads with three locks, each of which takes two of them, round in a circle.
//
// Wrong: no order of the locks.
// Shown when: each of the three inputs is what makes its thread take two locks, and each thread has
// its first lock before any has its second.
// Failure: deadlock.
// From: deadlock3 of Bruening's thesis on systematic testing as in table 5.2 (D3) of Sumit
// Padhiyar's thesis; who takes two locks is the input. Written from the description.
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

namespace {

std::mutex locks[3];

void take_two(int mine, int input) {
#ifdef FIXED
  const int first = mine == 2 ? 0 : mine, second = mine == 2 ? 2 : mine + 1;
#else
  const int first = mine, second = (mine + 1) % 3;
#endif
  const std::lock_guard one(locks[first]);
  if (input == 100 * (mine + 1)) {
    const std::lock_guard two(locks[second]);
  }
}

void test(int a, int b, int c) {
  std::thread one(take_two, 0, a), two(take_two, 1, b), three(take_two, 2, c);
  one.join();
  two.join();
  three.join();
}

}  // namespace

int main() {
  using namespace jostle;
  property("deadlock3", gen::any<int>().named("a"), gen::any<int>().named("b"),
           gen::any<int>().named("c"), test);
}

// SPDX-License-Identifier: Apache-2.0
