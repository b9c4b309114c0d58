// SPDX-License-Identifier: Apache-2.0
// What people write every day: rings, caches, sets, counters, pools, limiters, maps; each right,
// and with a mistake that is easily made.
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <jostle/linearizable.hpp>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

// ---- a bounded ring: full is full ---------------------------------------------------------------

template <bool kChecksUnderLock>
class BoundedRing {
 public:
  bool push(int value) {
    if (!kChecksUnderLock && count_ == kSize) return false;
    const std::lock_guard hold(mutex_);
    if (kChecksUnderLock && count_ == kSize) return false;
    items_[(first_ + count_) % kSize] = value;
    ++count_;
    return true;
  }
  std::optional<int> pop() {
    const std::lock_guard hold(mutex_);
    if (count_ == 0) return std::nullopt;
    --count_;
    return std::exchange(items_[std::exchange(first_, (first_ + 1) % kSize)], 0);
  }
  size_t size() const { return count_; }

 private:
  static constexpr size_t kSize = 2;
  std::mutex mutex_;
  std::array<int, kSize> items_ = {};
  size_t first_ = 0;
  std::atomic<size_t> count_ = 0;
};

// ---- a cache that forgets what was used longest ago ---------------------------------------------

template <bool kMovesUnderLock>
class LruCache {
 public:
  std::optional<int> get(int key) {
    std::unique_lock hold(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    const int value = found->second->second;
    if (!kMovesUnderLock) {
      hold.unlock();
      hold.lock();
      if (!places_.contains(key)) return value;
    }
    order_.splice(order_.begin(), order_, places_.find(key)->second);
    return value;
  }
  void put(int key, int value) {
    const std::lock_guard hold(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      order_.erase(found->second);
    } else if (order_.size() == 2) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, value);
    places_[key] = order_.begin();
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<int, int>> order_;
  std::unordered_map<int, std::list<std::pair<int, int>>::iterator> places_;
};

// ---- a set with two locks -----------------------------------------------------------------------

template <bool kLocksBoth>
class SplitSet {
 public:
  bool add(int key) {
    const std::lock_guard hold(part(key).mutex);
    return part(key).keys.insert(key).second;
  }
  bool move(int from, int to) {
    if (kLocksBoth) {
      const std::scoped_lock hold(parts_[0].mutex, parts_[1].mutex);
      return move_locked(from, to);
    }
    {
      const std::lock_guard hold(part(from).mutex);
      if (part(from).keys.erase(from) == 0) return false;
    }
    const std::lock_guard hold(part(to).mutex);
    part(to).keys.insert(to);
    return true;
  }
  bool contains(int key) {
    const std::lock_guard hold(part(key).mutex);
    return part(key).keys.contains(key);
  }

 private:
  struct Part {
    std::mutex mutex;
    std::set<int> keys;
  };
  Part& part(int key) { return parts_[key % 2]; }
  bool move_locked(int from, int to) {
    if (part(from).keys.erase(from) == 0) return false;
    part(to).keys.insert(to);
    return true;
  }
  std::array<Part, 2> parts_;
};

// ---- a counter of shards ------------------------------------------------------------------------

class ShardedCounter {
 public:
  void add(int shard) { shards_[shard].fetch_add(1); }
  int sum() const { return shards_[0] + shards_[1]; }
  int take_all() { return shards_[0].exchange(0) + shards_[1].exchange(0); }

 private:
  std::array<std::atomic<int>, 2> shards_ = {};
};

// ---- a queue that can be closed -----------------------------------------------------------------

template <bool kClosesUnderLock>
class ClosableQueue {
 public:
  bool push(int value) {
    const std::lock_guard hold(mutex_);
    if (closed_) return false;
    items_.push_back(value);
    changed_.notify_one();
    return true;
  }
  std::optional<int> pop() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    const int value = items_.front();
    items_.pop_front();
    return value;
  }
  void close() {
    std::unique_lock hold(mutex_, std::defer_lock);
    if (kClosesUnderLock) hold.lock();
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> items_;
  std::atomic<bool> closed_ = false;
};

// ---- a pool of objects --------------------------------------------------------------------------

template <bool kTakesAtOnce>
class ObjectPool {
 public:
  int acquire() {
    for (int i = 0; i < 2; ++i) {
      if (kTakesAtOnce) {
        if (!taken_[i].exchange(true)) return i;
      } else if (!taken_[i]) {
        taken_[i] = true;
        return i;
      }
    }
    return -1;
  }
  void release(int i) { taken_[i] = false; }

 private:
  std::array<std::atomic<bool>, 2> taken_ = {};
};

// ---- so many at once, and no more ---------------------------------------------------------------

template <bool kTakesAtOnce>
class RateLimiter {
 public:
  bool allow() {
    int left = left_;
    if (!kTakesAtOnce) {
      if (left == 0) return false;
      left_ = left - 1;
      return true;
    }
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
    }
    return left > 0;
  }
  void refill() { left_ = 2; }

 private:
  std::atomic<int> left_ = 2;
};

// ---- a map that is copied when it is written ----------------------------------------------------

template <bool kOneWriter>
class CopiedMap {
 public:
  int get(int key) const {
    const std::shared_ptr<const Map> now = std::atomic_load(&map_);
    const auto found = now->find(key);
    return found == now->end() ? 0 : found->second;
  }
  void put(int key, int value) {
    std::unique_lock hold(writers_, std::defer_lock);
    if (kOneWriter) hold.lock();
    auto next = std::make_shared<Map>(*std::atomic_load(&map_));
    (*next)[key] = value;
    std::atomic_store(&map_, std::shared_ptr<const Map>(std::move(next)));
  }

 private:
  using Map = std::map<int, int>;
  std::mutex writers_;
  std::shared_ptr<const Map> map_ = std::make_shared<Map>();
};

}  // namespace

#define RING(name, right)                                                              \
  JOSTLE_LINEARIZABLE(name) {                                                          \
    auto ring = share<BoundedRing<right>>();                                           \
    operation("push", gen::range(1, 3), [=](int value) { return ring->push(value); }); \
    operation("pop", [=] { return ring->pop(); });                                     \
    invariant([=] { return ring->size() <= 2; });                                      \
  }
RING(RingLocked, true)
RING(RingHalfLocked, false)

#define LRU(name, right)                                                          \
  JOSTLE_LINEARIZABLE(name) {                                                     \
    auto cache = share<LruCache<right>>();                                        \
    operation("get", gen::range(1, 3), [=](int key) { return cache->get(key); }); \
    operation("put", gen::range(1, 3), gen::range(10, 11),                        \
              [=](int k, int v) { cache->put(k, v); });                           \
  }
LRU(LruOneLock, true)
LRU(LruLocksTwice, false)

#define SET(name, right)                                                                   \
  JOSTLE_LINEARIZABLE(name) {                                                              \
    auto set = share<SplitSet<right>>();                                                   \
    operation("add", gen::range(0, 1), [=](int key) { return set->add(key); });            \
    operation("move", gen::range(0, 1), [=](int key) { return set->move(key, 1 - key); }); \
    operation("contains", gen::range(0, 1), [=](int key) { return set->contains(key); });  \
  }
SET(SetMovesAtOnce, true)
SET(SetMovesInTwo, false)

JOSTLE_LINEARIZABLE(ShardsTakeAll) {
  auto counter = share<ShardedCounter>();
  operation("add", gen::range(0, 1), [=](int shard) { counter->add(shard); });
  operation("sum", [=] { return counter->sum(); });
  operation("take_all", [=] { return counter->take_all(); });
}
JOSTLE_LINEARIZABLE(ShardsWeakly) {
  auto counter = share<ShardedCounter>();
  operation("add", gen::range(0, 1), [=](int shard) { counter->add(shard); });
  operation("sum", [=] { return counter->sum(); }).weak();
  state([=] { return counter->sum(); });
}

#define CLOSABLE(name, right)                                                           \
  JOSTLE_LINEARIZABLE(name) {                                                           \
    auto queue = share<ClosableQueue<right>>();                                         \
    operation("push", gen::range(1, 2), [=](int value) { return queue->push(value); }); \
    operation("pop", [=] { return queue->pop(); });                                     \
    operation("close", [=] { queue->close(); });                                        \
  }
CLOSABLE(ClosesUnderLock, true)
CLOSABLE(ClosesWithoutLock, false)

#define POOL(name, right)                                                                      \
  JOSTLE_LINEARIZABLE(name) {                                                                  \
    auto pool = share<ObjectPool<right>>();                                                    \
    operation("acquire", [=] { return pool->acquire() >= 0; });                                \
    operation("release", gen::range(0, 1), [=](int i) { pool->release(i); }).only_by("owner"); \
  }
POOL(PoolTakesInTwo, false)
JOSTLE_LINEARIZABLE(PoolTakesAtOnce) {
  auto pool = share<ObjectPool<true>>();
  operation("acquire", [=] { return pool->acquire() >= 0; });
}

#define LIMITER(name, right)                              \
  JOSTLE_LINEARIZABLE(name) {                             \
    auto limiter = share<RateLimiter<right>>();           \
    operation("allow", [=] { return limiter->allow(); }); \
    operation("refill", [=] { limiter->refill(); });      \
  }
LIMITER(LimiterTakesAtOnce, true)
LIMITER(LimiterTakesInTwo, false)

#define MAP(name, right)                                                                         \
  JOSTLE_LINEARIZABLE(name) {                                                                    \
    auto map = share<CopiedMap<right>>();                                                        \
    operation("get", gen::range(1, 2), [=](int key) { return map->get(key); });                  \
    operation("put", gen::range(1, 2), gen::range(5, 6), [=](int k, int v) { map->put(k, v); }); \
  }
MAP(MapOneWriter, true)
MAP(MapManyWriters, false)

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
