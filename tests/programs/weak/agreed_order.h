// Two auditors agree which of two candidates came first.
#ifndef TESTS_PROGRAMS_WEAK_AGREED_ORDER_H
#define TESTS_PROGRAMS_WEAK_AGREED_ORDER_H

#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<bool> left{false}, right{false};
std::atomic<int> winners{0};

void audit_left() {
  if (!left.load(std::memory_order_acquire)) return;
  FENCE;
  if (!right.load(std::memory_order_acquire)) ++winners;
}
void audit_right() {
  if (!right.load(std::memory_order_acquire)) return;
  FENCE;
  if (!left.load(std::memory_order_acquire)) ++winners;
}

int main() {
  std::thread threads[] = {std::thread([] { left.store(true, std::memory_order_release); }),
                           std::thread([] { right.store(true, std::memory_order_release); }),
                           std::thread(audit_left), std::thread(audit_right)};
  for (std::thread& thread : threads) thread.join();
  assert(winners < 2);
}

#endif

// SPDX-License-Identifier: Apache-2.0
