// SPDX-License-Identifier: Apache-2.0
// Each call takes the lock; what is asked and what is done about it are two calls.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Registry {
 public:
  bool contains(const std::string& name) {
    std::lock_guard<std::mutex> guard(mutex_);
    return entries_.count(name) != 0;
  }
  bool insert(const std::string& name, int id) {
    std::lock_guard<std::mutex> guard(mutex_);
    return entries_.emplace(name, id).second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> entries_;
};

Registry registry;

void enlist(int id) {
  if (registry.contains("root")) return;
  const bool added = registry.insert("root", id);
  assert(added);
}

int main() {
  std::thread first(enlist, 1), second(enlist, 2);
  first.join();
  second.join();
}
