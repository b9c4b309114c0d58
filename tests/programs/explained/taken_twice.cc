// SPDX-License-Identifier: Apache-2.0
// Not empty when it is asked, but when the job is taken: what changed is a part of a container.
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>

class Jobs {
 public:
  explicit Jobs(int first) : items_{first} {}
  bool empty() {
    std::lock_guard<std::mutex> guard(mutex_);
    return items_.empty();
  }
  int pop() {
    std::lock_guard<std::mutex> guard(mutex_);
    assert(!items_.empty());
    const int item = items_.front();
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::deque<int> items_;
};

Jobs jobs(42);

void consume() {
  if (!jobs.empty()) jobs.pop();
}

int main() {
  std::thread first(consume), second(consume);
  first.join();
  second.join();
}
