// fails: heap stack-use-after-return (some schedules)
// The event lives on the stack of who waits for it. The other thread touches it once more after the
// waiter has seen what it waits for, and may have returned.
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
  while (!event.is_set) std::this_thread::yield();
}

int main() {
  std::thread worker;
  start_and_wait(worker);
  worker.join();
}
