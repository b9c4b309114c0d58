// A reader that finds the new object finds what is in it.
#ifndef TESTS_PROGRAMS_WEAK_RCU_PUBLISH_H
#define TESTS_PROGRAMS_WEAK_RCU_PUBLISH_H

#include <assert.h>

#include <atomic>
#include <thread>

struct Configuration {
  std::atomic<int> size{0}, limit{0};
};
Configuration configurations[2];
std::atomic<Configuration*> current{nullptr};

void publish() {
  Configuration& next = configurations[1];
  next.size.store(3, std::memory_order_relaxed);
  next.limit.store(5, std::memory_order_relaxed);
  current.store(&next, PUBLISH);
}

void use() {
  Configuration* found = current.load(std::memory_order_acquire);
  if (!found) return;
  assert(found->size.load(std::memory_order_relaxed) == 3);
  assert(found->limit.load(std::memory_order_relaxed) == 5);
}

int main() {
  std::thread writer(publish), reader(use);
  writer.join();
  reader.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
