// fails: never
// self_deadlock with the callback called after the lock is released.
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class List {
 public:
  void add(int item) {
    std::function<void()> listener;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      items_.push_back(item);
      listener = listener_;
    }
    if (listener) listener();
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
