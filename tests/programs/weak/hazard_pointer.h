// A hazard pointer: what a reader has announced and found still there is not given back.
#ifndef TESTS_PROGRAMS_WEAK_HAZARD_POINTER_H
#define TESTS_PROGRAMS_WEAK_HAZARD_POINTER_H

#include <assert.h>

#include <atomic>
#include <thread>

struct Node {
  std::atomic<bool> gone{false};
};
Node node;
std::atomic<Node*> head{&node};
std::atomic<Node*> announced{nullptr};

void look() {
  Node* found = head.load(std::memory_order_relaxed);
  if (!found) return;
  announced.store(found, std::memory_order_relaxed);
  FENCE();
  if (head.load(std::memory_order_relaxed) != found) return;
  assert(!found->gone.load(std::memory_order_relaxed));
  announced.store(nullptr, std::memory_order_release);
}

void retire() {
  Node* old = head.exchange(nullptr, std::memory_order_relaxed);
  FENCE();
  if (announced.load(std::memory_order_acquire) != old)
    old->gone.store(true, std::memory_order_relaxed);
}

int main() {
  std::thread reader(look), remover(retire);
  reader.join();
  remover.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
