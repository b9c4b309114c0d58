// The consumer looks at the flag, is held back, and waits for a signal that has come and gone.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable filled;
std::atomic<int> items{0};

void consume() {
  std::unique_lock<std::mutex> guard(lock);
  while (items == 0) filled.wait(guard);
}

int main() {
  std::thread consumer(consume);
  items = 1;  // without the lock
  filled.notify_one();
  consumer.join();
}

// SPDX-License-Identifier: Apache-2.0
