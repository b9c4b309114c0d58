// fails: race (weak memory)
// Peterson's lock with acquire and release, around a plain counter.
#include <atomic>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> turn;
int counter;

void worker(int me) {
  wants[me].store(true, std::memory_order_release);
  turn.store(1 - me, std::memory_order_release);
  while (wants[1 - me].load(std::memory_order_acquire) &&
         turn.load(std::memory_order_acquire) == 1 - me) {
  }
  ++counter;
  wants[me].store(false, std::memory_order_release);
}

int main() {
  std::thread first(worker, 0), second(worker, 1);
  first.join();
  second.join();
}

// SPDX-License-Identifier: Apache-2.0
