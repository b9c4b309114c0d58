// fails: never
// As stack_after_return, but the waiter waits for the last access to its event.
#include <atomic>
#include <thread>

struct Event {
  std::atomic<int> is_set{0};
  std::atomic<int> acknowledged{0};
};

[[gnu::noinline]] static void start_and_wait(std::thread& worker) {
  Event event;
  worker = std::thread([&event] {
    event.is_set = 1;
    event.acknowledged = 1;
  });
  while (!event.acknowledged) std::this_thread::yield();
}

int main() {
  std::thread worker;
  start_and_wait(worker);
  worker.join();
}

// SPDX-License-Identifier: Apache-2.0
