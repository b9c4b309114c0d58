// fails: deadlock (some schedules)
// Waiting for an inner condition while an outer lock is held: who should fulfil it needs the outer
// lock first. Shown when the consumer comes first.
#include <condition_variable>
#include <mutex>
#include <thread>

class Cell {
 public:
  void put(int v) {
    std::lock_guard<std::mutex> lock(mutex_);
    value_ = v;
    cond_.notify_one();
  }
  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    cond_.wait(lock, [this] { return value_ != 0; });
    return value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable cond_;
  int value_ = 0;
};

static std::mutex table;
static Cell cell;

int main() {
  std::thread consumer([] {
    std::lock_guard<std::mutex> outer(table);
    cell.take();
  });
  std::thread producer([] {
    std::lock_guard<std::mutex> outer(table);
    cell.put(3);
  });
  consumer.join();
  producer.join();
}

// SPDX-License-Identifier: Apache-2.0
