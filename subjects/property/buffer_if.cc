// Producers and consumers of a bounded buffer that test only once whether they may go on.
//
// Wrong: `if` instead of `while` around the wait, and one wake-up for both kinds: who is woken in
// vain has used it up.
// Shown when: the buffer is small (its capacity is the input), and a consumer is woken for an
// element that another one has taken meanwhile: then those who could go on are never woken.
// Failure: deadlock.
// From: BufferIf of Bruening's thesis on systematic testing as in table 5.2 (BI) of Sumit
// Padhiyar's thesis; the capacity is the input. Written from the description.
#define TESTS_ONCE
#define WAKES_ONE
#include <jostle/jostle.hpp>
#include <thread>

#include "bounded_buffer.h"

static void test(int capacity) {
  jostle::assume(capacity > 0);
  BoundedBuffer buffer(capacity);
  const auto produce = [&] {
    for (int left = 2; left > 0;) left -= buffer.put();
  };
  const auto consume = [&] {
    for (int left = 2; left > 0;) left -= buffer.get();
  };
  std::thread threads[] = {std::thread(produce), std::thread(produce), std::thread(consume),
                           std::thread(consume)};
  for (std::thread& thread : threads) thread.join();
}

int main() { jostle::property("buffer_if", jostle::gen::any<int>().named("capacity"), test); }

// SPDX-License-Identifier: Apache-2.0
