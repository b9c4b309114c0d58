// SPDX-License-Identifier: Apache-2.0
// A lambda without captures, called by its address, uses a queue once more after it has let go who
// waits for it and frees it.
#include <atomic>
#include <memory>
#include <thread>

struct Queue {
  std::atomic<long> last{0};
  void push(long value) { last.store(value); }
  void wait() {
    while (last.load() == 0) std::this_thread::yield();
  }
};
struct Task {
  void (*run)(Task*);
  Queue* queue;
};

int main() {
  auto queue = std::make_unique<Queue>();
  Task task{+[](Task* self) {
              self->queue->push(1);
              self->queue->push(2);
            },
            queue.get()};
  std::thread runner([&task] { task.run(&task); });
  queue->wait();
  queue.reset();
  runner.join();
}
