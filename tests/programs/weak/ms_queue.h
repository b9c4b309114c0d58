// The queue of Michael and Scott: what is taken was put.
#ifndef TESTS_PROGRAMS_WEAK_MS_QUEUE_H
#define TESTS_PROGRAMS_WEAK_MS_QUEUE_H

#include <assert.h>

#include <atomic>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<int> value{0};
};
Node nodes[3];  // the first is the dummy
std::atomic<Node*> head{&nodes[0]}, tail{&nodes[0]};

void put(Node& node, int value) {
  node.value.store(value, std::memory_order_relaxed);
  for (;;) {
    Node* last = tail.load(std::memory_order_acquire);
    Node* next = last->next.load(std::memory_order_acquire);
    if (next) {
      tail.compare_exchange_strong(last, next, std::memory_order_release,
                                   std::memory_order_relaxed);
      continue;
    }
    if (last->next.compare_exchange_strong(next, &node, LINK, std::memory_order_relaxed)) {
      tail.compare_exchange_strong(last, &node, std::memory_order_release,
                                   std::memory_order_relaxed);
      return;
    }
  }
}

bool take(int& value) {
  Node* first = head.load(std::memory_order_acquire);
  Node* next = first->next.load(std::memory_order_acquire);
  if (!next) return false;
  value = next->value.load(std::memory_order_relaxed);
  return head.compare_exchange_strong(first, next, std::memory_order_release,
                                      std::memory_order_relaxed);
}

int main() {
  std::thread first([] { put(nodes[1], 1); }), second([] { put(nodes[2], 2); });
  std::thread consumer([] {
    int value = 0;
    if (take(value)) assert(value != 0);
  });
  first.join();
  second.join();
  consumer.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
