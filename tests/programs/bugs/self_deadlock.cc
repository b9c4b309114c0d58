// fails: deadlock (some schedules)
// A callback that takes the lock its caller holds. Shown when the item is added before the listener
// is removed.
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class List {
 public:
  void add(int item) {
    std::lock_guard<std::mutex> lock(mutex_);
    items_.push_back(item);
    if (listener_) listener_();
  }
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex_);
    return items_.size();
  }
  void listen(std::function<void()> listener) {
    std::lock_guard<std::mutex> lock(mutex_);
    listener_ = std::move(listener);
  }

 private:
  std::mutex mutex_;
  std::vector<int> items_;
  std::function<void()> listener_;
};

int main() {
  List list;
  size_t seen = 0;
  list.listen([&] { seen = list.size(); });
  std::thread adder([&] { list.add(1); });
  list.listen(nullptr);
  adder.join();
  return list.size() == 1 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
