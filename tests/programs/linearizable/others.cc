// SPDX-License-Identifier: Apache-2.0
// Sets, maps, counters, registers, locks, latches; right ones and broken ones.
#include <array>
#include <atomic>
#include <climits>
#include <jostle/linearizable.hpp>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

namespace gen = jostle::gen;

// ---- sorted list with a lock per node ----------------------------------------------------------

template <bool kValidates>
struct LazyList {
  struct Node {
    explicit Node(int key_, Node* next_) : key(key_), next(next_) {}
    int key;
    std::atomic<Node*> next;
    std::atomic<bool> gone{false};
    std::mutex lock;
  };
  Node* const head = new Node(INT_MIN, new Node(INT_MAX, nullptr));

  std::pair<Node*, Node*> find(int key) {
    Node* before = head;
    Node* at = before->next;
    while (at->key < key) {
      before = at;
      at = at->next;
    }
    return {before, at};
  }
  static bool is_valid(Node* before, Node* at) {
    return !before->gone && !at->gone && before->next == at;
  }
  template <typename Change>
  bool change(int key, Change&& done) {
    for (;;) {
      auto [before, at] = find(key);
      const std::scoped_lock one(before->lock);
      const std::scoped_lock other(at->lock);
      if (kValidates && !is_valid(before, at)) continue;
      return done(before, at);
    }
  }
  bool add(int key) {
    return change(key, [&](Node* before, Node* at) {
      if (at->key == key) return false;
      before->next = new Node(key, at);
      return true;
    });
  }
  bool remove(int key) {
    return change(key, [&](Node* before, Node* at) {
      if (at->key != key) return false;
      at->gone = true;
      before->next = at->next.load();
      return true;
    });
  }
  bool contains(int key) {
    const auto [before, at] = find(key);
    return at->key == key && !at->gone;
  }
};

// ---- several registers read at once -------------------------------------------------------------

template <bool kTwice>
struct Snapshot {
  struct Slot {
    std::atomic<int> value{0}, version{0};
  };
  std::array<Slot, 2> slots;
  void write(int slot, int value) {
    slots[slot].version.fetch_add(1);
    slots[slot].value.store(value);
    slots[slot].version.fetch_add(1);
  }
  std::array<int, 4> collect() {
    return {slots[0].version, slots[0].value, slots[1].version, slots[1].value};
  }
  std::pair<int, int> scan() {
    for (;;) {
      const auto seen = collect();
      if (!kTwice) return {seen[1], seen[3]};
      const auto again = collect();
      if (seen == again && seen[0] % 2 == 0 && seen[2] % 2 == 0) return {seen[1], seen[3]};
    }
  }
};

// ---- counters -----------------------------------------------------------------------------------

template <bool kAtOnce>
struct Counter {
  std::atomic<int> count{0};
  int add() {
    if (kAtOnce) return count.fetch_add(2) + 2;
    ++count;
    return ++count;
  }
  int get() { return count; }
};

// ---- an invariant
// --------------------------------------------------------------------------------

// Two numbers that are the same whenever nobody is inside; or only when the second of two has left.
template <bool kAlways>
struct Twins {
  std::atomic<int> one{0}, other{0}, inside{0};
  void add() {
    ++inside;
    ++one;
    if (kAlways) ++other;
    if (--inside == 0 && !kAlways && one % 2 == 0) other = one.load();
  }
  bool are_equal() const { return one == other; }
};

// ---- a map with striped locks -------------------------------------------------------------------

template <bool kAllStripes>
struct StripedMap {
  static constexpr size_t kStripes = 2;
  std::array<std::mutex, kStripes> locks;
  std::array<std::map<int, int>, kStripes> parts;
  std::optional<int> put(int key, int value) {
    const std::lock_guard guard(locks[key % kStripes]);
    auto [at, is_new] = parts[key % kStripes].try_emplace(key, value);
    if (is_new) return std::nullopt;
    return std::exchange(at->second, value);
  }
  int get(int key) {
    const std::lock_guard guard(locks[key % kStripes]);
    const auto at = parts[key % kStripes].find(key);
    if (at == parts[key % kStripes].end()) throw std::out_of_range("no such key");
    return at->second;
  }
  bool erase(int key) {
    const std::lock_guard guard(locks[key % kStripes]);
    return parts[key % kStripes].erase(key) != 0;
  }
  size_t size() {
    if (kAllStripes) {
      const std::scoped_lock all(locks[0], locks[1]);
      return parts[0].size() + parts[1].size();
    }
    size_t sum = 0;
    for (size_t i = 0; i < kStripes; ++i) {
      const std::lock_guard guard(locks[i]);
      sum += parts[i].size();
    }
    return sum;
  }
};

// ---- a value computed once, under a read lock that becomes a write lock -------------------------

template <bool kLooksAgain>
struct Cache {
  std::shared_mutex lock;
  std::optional<int> value;
  int computed = 0;
  int get() {
    {
      const std::shared_lock reads(lock);
      if (value) return *value;
    }
    const std::unique_lock writes(lock);
    if (!kLooksAgain || !value) value = ++computed;
    return *value;
  }
  void drop() {
    const std::unique_lock writes(lock);
    value.reset();
  }
};

JOSTLE_LINEARIZABLE(Lazy) {
  auto list = share<LazyList<true>>();
  operation("add", gen::range(1, 2), [=](int key) { return list->add(key); });
  operation("remove", gen::range(1, 2), [=](int key) { return list->remove(key); });
  operation("contains", gen::range(1, 2), [=](int key) { return list->contains(key); });
}
JOSTLE_LINEARIZABLE(LazyUnvalidated) {
  auto list = share<LazyList<false>>();
  operation("add", gen::range(1, 2), [=](int key) { return list->add(key); });
  operation("remove", gen::range(1, 2), [=](int key) { return list->remove(key); });
  operation("contains", gen::range(1, 2), [=](int key) { return list->contains(key); });
}
JOSTLE_LINEARIZABLE(DoubleCollect) {
  auto both = share<Snapshot<true>>();
  operation("write", gen::range(0, 1), gen::range(1, 2), [=](int i, int v) {
    both->write(i, v);
  }).only_by("writer");
  operation("scan", [=] { return both->scan(); });
}
JOSTLE_LINEARIZABLE(SingleCollect) {
  auto both = share<Snapshot<false>>();
  operation("write", gen::range(0, 1), gen::range(1, 2), [=](int i, int v) { both->write(i, v); });
  operation("scan", [=] { return both->scan(); });
}
JOSTLE_LINEARIZABLE(CountsAtOnce) {
  auto counter = share<Counter<true>>();
  operation("add", [=] { return counter->add(); });
  operation("get", [=] { return counter->get(); });
}
JOSTLE_LINEARIZABLE(CountsTwice) {
  auto counter = share<Counter<false>>();
  operation("add", [=] { return counter->add(); });
  operation("get", [=] { return counter->get(); });
}
JOSTLE_LINEARIZABLE(Striped) {
  auto map = share<StripedMap<true>>();
  operation("put", gen::range(0, 1), gen::range(0, 1),
            [=](int k, int v) { return map->put(k, v); });
  operation("get", gen::range(0, 1), [=](int key) { return map->get(key); });
  operation("erase", gen::range(0, 1), [=](int key) { return map->erase(key); });
  operation("size", [=] { return map->size(); });
}
JOSTLE_LINEARIZABLE(StripedSize) {
  auto map = share<StripedMap<false>>();
  operation("put", gen::range(0, 1), gen::range(0, 1),
            [=](int k, int v) { return map->put(k, v); });
  operation("get", gen::range(0, 1), [=](int key) { return map->get(key); });
  operation("erase", gen::range(0, 1), [=](int key) { return map->erase(key); });
  operation("size", [=] { return map->size(); });
}
JOSTLE_LINEARIZABLE(StripedWeakSize) {
  auto map = share<StripedMap<false>>();
  operation("put", gen::range(0, 1), gen::range(0, 1),
            [=](int k, int v) { return map->put(k, v); });
  operation("get", gen::range(0, 1), [=](int key) { return map->get(key); });
  operation("erase", gen::range(0, 1), [=](int key) { return map->erase(key); });
  operation("size", [=] { return map->size(); }).weak();
}
JOSTLE_LINEARIZABLE(CacheLooksAgain) {
  auto cache = share<Cache<true>>();
  operation("get", [=] { return cache->get(); });
  operation("drop", [=] { cache->drop(); });
}
JOSTLE_LINEARIZABLE(CacheUpgrades) {
  auto cache = share<Cache<false>>();
  operation("get", [=] { return cache->get(); });
  operation("drop", [=] { cache->drop(); });
}
const jostle::scenarios kTwoAdds = {
    .threads = {2, 2}, .operations = {1, 1}, .before = {0, 0}, .after = {0, 0}};
JOSTLE_LINEARIZABLE(TwinsInside, kTwoAdds) {
  auto twins = share<Twins<true>>();
  operation("add", [=] { twins->add(); });
  invariant([=] { return twins->are_equal(); });
}
JOSTLE_LINEARIZABLE(TwinsAtTheEnd, kTwoAdds) {
  auto twins = share<Twins<false>>();
  operation("add", [=] { twins->add(); });
  invariant([=] { return twins->are_equal(); });
}
JOSTLE_LINEARIZABLE(StandardLatch, jostle::scenarios{.operations = {1, 2}, .before = {0, 0}}) {
  auto latch = share<std::latch>(2);
  auto left = share<std::atomic<int>>(2);
  operation("count_down", [=] {
    if (left->fetch_sub(1) > 0) latch->count_down();
  }).only_by("counter");
  operation("try_wait", [=] { return latch->try_wait(); });
  operation("wait", [=] { latch->wait(); });
}

// Right, but for the semaphore of libstdc++ 12, which can sleep for ever.
struct Slots {
  std::counting_semaphore<2> free{1};
  int uses = 0;
  int use() {
    free.acquire();
    const int use = ++uses;
    free.release();
    return use;
  }
};
const jostle::scenarios kUses = {.operations = {1, 2}, .before = {0, 0}, .after = {0, 0}};
JOSTLE_LINEARIZABLE(StandardSemaphore, kUses) {
  auto slots = share<Slots>();
  operation("use", [=] { return slots->use(); });
}

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
