// SPDX-License-Identifier: Apache-2.0
// Two producers and two consumers of a bounded queue. `word`: of words, two places; `any`: of any
// type; `room`: its size is known at run time, and there is room for all.
#undef NDEBUG
#include <atomic_queue/atomic_queue.h>

#include <atomic>
#include <cassert>
#include <string>
#include <thread>

template <class Queue>
void two_and_two(Queue& queue) {
  std::atomic<int> sum = 0;
  auto produce = [&](int from) {
    for (int i = 0; i < 2; ++i) queue.push(from + i);
  };
  auto consume = [&] {
    for (int i = 0; i < 2; ++i) sum += queue.pop();
  };
  std::thread a(produce, 1), b(produce, 10), c(consume), d(consume);
  a.join(), b.join(), c.join(), d.join();
  assert(sum == 1 + 2 + 10 + 11 && queue.was_empty());
}

int main(int, char** argv) {
  const std::string which = argv[1];
  if (which == "word") {
    atomic_queue::AtomicQueue<int, 2> queue;
    two_and_two(queue);
  } else if (which == "any") {
    atomic_queue::AtomicQueue2<int, 2> queue;
    two_and_two(queue);
  } else {
    atomic_queue::AtomicQueueB<int> queue(2);
    two_and_two(queue);
  }
}
