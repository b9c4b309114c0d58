// Producers and consumers of a bounded buffer that wake only one of those who wait.
//
// Wrong: notify_one on a condition on which both kinds wait: the one that is woken may be of the
// kind that cannot go on, and the others sleep for ever.
// Shown when: the capacity (the input) is small and a producer wakes a producer, or a consumer a
// consumer.
// Failure: deadlock.
// From: BufferNotify of Bruening's thesis on systematic testing as in table 5.2 (BN) of Sumit
// Padhiyar's thesis; the capacity is the input. Written from the description.
#define WAKES_ONE
#include <jostle/jostle.hpp>
#include <thread>

#include "bounded_buffer.h"

static void test(int capacity) {
  jostle::assume(capacity > 0);
  BoundedBuffer buffer(capacity);
  const auto produce = [&] {
    buffer.put();
    buffer.put();
  };
  const auto consume = [&] {
    buffer.get();
    buffer.get();
  };
  std::thread threads[] = {std::thread(produce), std::thread(produce), std::thread(consume),
                           std::thread(consume)};
  for (std::thread& thread : threads) thread.join();
}

int main() { jostle::property("buffer_notify", jostle::gen::any<int>().named("capacity"), test); }

// SPDX-License-Identifier: Apache-2.0
