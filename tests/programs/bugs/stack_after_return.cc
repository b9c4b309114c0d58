// fails: heap stack-use-after-return (some schedules)
// The event lives on the stack of who waits for it. The other thread touches it once more after the
// waiter has seen what it waits for, and may have returned.
#include <atomic>
#include <thread>

struct Event {
  std::atomic<int> is_set{0};
  std::atomic<int> acknowledged{0};
};

// Far enough below main's frame that what main calls next does not reach so deep.
[[gnu::noinline]] static void start_and_wait(std::thread& worker) {
  Event event;
  worker = std::thread([&event] {
    event.is_set = 1;
    event.acknowledged = 1;
  });
  while (!event.is_set) std::this_thread::yield();
}

[[gnu::noinline]] static void deep(std::thread& worker) {
  volatile char room[1024];
  room[0] = 0;
  start_and_wait(worker);
  room[1] = room[0];
}

int main() {
  std::thread worker;
  deep(worker);
  worker.join();
}

// SPDX-License-Identifier: Apache-2.0
