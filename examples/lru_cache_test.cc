// SPDX-License-Identifier: Apache-2.0
// A cache that forgets what was used least recently, tested without writing down what it should do:
//
//   jostle c++ -g -std=c++20 lru_cache_test.cc -o lru_cache_test && ./lru_cache_test
//
// Every operation takes the lock; but get_or_add takes it twice.
#include <jostle/linearizable.hpp>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

class Cache {
 public:
  explicit Cache(size_t room) : room_(room) {}

  std::optional<int> get(int key) {
    const std::lock_guard guard(lock_);
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }
  void put(int key, int value) {
    const std::lock_guard guard(lock_);
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.erase(found->second);
    } else if (entries_.size() == room_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, value);
    places_[key] = entries_.begin();
  }
  int get_or_add(int key, int value) {
    if (const std::optional<int> known = get(key)) return *known;
    put(key, value);
    return value;
  }

 private:
  std::mutex lock_;
  size_t room_;
  std::list<std::pair<int, int>> entries_;
  std::unordered_map<int, std::list<std::pair<int, int>>::iterator> places_;
};

JOSTLE_LINEARIZABLE(LruCache) {
  auto cache = share<Cache>(2);
  auto keys = gen::range(1, 3), values = gen::range(10, 12);
  operation("get", keys, [=](int key) { return cache->get(key); });
  operation("put", keys, values, [=](int key, int value) { cache->put(key, value); });
  operation("get_or_add", keys, values, [=](int k, int v) { return cache->get_or_add(k, v); });
}

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
