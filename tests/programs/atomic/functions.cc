// SPDX-License-Identifier: Apache-2.0
// Functions that should look atomic, called by threads of a test without a single assertion. The
// argument says which.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#define NOT_INLINED [[gnu::noinline]]

namespace {

template <typename... Body>
void side_by_side(Body... bodies) {
  std::vector<std::thread> threads;
  (threads.emplace_back(bodies), ...);
  for (std::thread& thread : threads) thread.join();
}

// Every access holds the lock; get_or_add holds it twice.
class Cache {
 public:
  NOT_INLINED int get_or_add(int key, int value) {
    {
      const std::lock_guard hold(mutex_);
      if (const auto found = map_.find(key); found != map_.end()) return found->second;
    }
    const std::lock_guard hold(mutex_);
    ++added_;
    return map_[key] = value;
  }
  NOT_INLINED int add_once(int key, int value) {
    const std::lock_guard hold(mutex_);
    const auto [entry, is_new] = map_.try_emplace(key, value);
    added_ += is_new;
    return entry->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, int> map_;
  int added_ = 0;
};
Cache cache;

// What is left of a counter whose additions are no single step: in a global, on the heap, and on
// the stack of main.
class Counter {
 public:
  NOT_INLINED void add() { value_.store(value_.load() + 1); }
  NOT_INLINED void add_at_once() { value_.fetch_add(1); }
  NOT_INLINED int value() const { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};
Counter counter;

class Dispenser {
 public:
  NOT_INLINED int take() {
    const int number = next_.load();
    next_.store(number + 1);
    return number + used_.fetch_add(10);
  }

 private:
  std::atomic<int> next_ = 1, used_ = 0;
};
Dispenser dispenser;

// Two accounts, locked one after the other: who looks in between sees money that is nowhere.
class Bank {
 public:
  NOT_INLINED void transfer(int amount) {
    take(amount);
    give(amount);
  }
  NOT_INLINED void transfer_at_once(int amount) {
    const std::scoped_lock hold(first_, second_);
    from_ -= amount;
    to_ += amount;
  }
  NOT_INLINED int total() {
    const std::scoped_lock hold(first_, second_);
    return from_ + to_;
  }

 private:
  void take(int amount) {
    const std::lock_guard hold(first_);
    from_ -= amount;
  }
  void give(int amount) {
    const std::lock_guard hold(second_);
    to_ += amount;
  }
  std::mutex first_, second_;
  int from_ = 100, to_ = 100;
};
Bank bank;

// A queue of one place: both functions wait in the middle, and are right to.
class Place {
 public:
  NOT_INLINED void put(int value) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return !full_; });
    full_ = true;
    value_ = value;
    changed_.notify_all();
  }
  NOT_INLINED int take() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return full_; });
    full_ = false;
    changed_.notify_all();
    return value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool full_ = false;
  int value_ = 0;
};
Place place;

// Pointers that depend on who allocated first, where blocks end, and who the thread is.
class Box {
 public:
  NOT_INLINED void fill(int value) {
    const std::lock_guard hold(mutex_);
    few_.assign(2, value);
    many_.assign(4, value);
    end_ = many_.data() + many_.size();
    who_ = std::this_thread::get_id();
  }
  NOT_INLINED int sum() {
    const std::lock_guard hold(mutex_);
    who_ = std::this_thread::get_id();
    int sum = 0;
    for (const int each : few_) sum += each;
    for (const int each : many_) sum += each;
    return sum;
  }

 private:
  std::mutex mutex_;
  std::vector<int> few_, many_;
  int* end_ = nullptr;
  std::thread::id who_;
};
Box boxes[2];

// A race of the test itself, outside of what should look atomic.
std::atomic<int> outside{0};

struct Stamped {
  NOT_INLINED void note() {
    const std::lock_guard hold(mutex);
    last = std::chrono::steady_clock::now().time_since_epoch().count();
  }
  std::mutex mutex;
  long last = 0;
};
Stamped stamped;

int run(const char* which) {
  const auto is = [which](const char* name) { return std::strcmp(which, name) == 0; };
  if (is("input") || is("input_ok")) {
    // What is read says how much is added: who reads nothing comes to another result.
    const int times = std::getchar() - '0';
    const auto add = is("input") ? &Counter::add : &Counter::add_at_once;
    const auto some = [add, times] {
      for (int i = 0; i < times; ++i) (counter.*add)();
    };
    side_by_side(some, some);
  } else if (is("numbers")) {
    // What each call returned: two numbers side by side in one word.
    static int numbers[2];
    const auto take = [](int i) { numbers[i] = dispenser.take(); };
    side_by_side([take] { take(0); }, [take] { take(1); });
    std::printf("%d\n", numbers[0] != 0);
  } else if (is("cache")) {
    side_by_side([] { cache.get_or_add(1, 10); }, [] { cache.get_or_add(1, 11); });
  } else if (is("cache_ok")) {
    side_by_side([] { cache.add_once(1, 10); }, [] { cache.add_once(1, 11); });
  } else if (is("counter")) {
    side_by_side([] { counter.add(); }, [] { counter.add(); });
  } else if (is("counter_ok")) {
    side_by_side([] { counter.add_at_once(); }, [] { counter.add_at_once(); });
  } else if (is("heap_counter")) {
    const auto own = std::make_unique<Counter>();
    side_by_side([&] { own->add(); },
                 [&] {
                   own->add();
                   own->add();
                 });
  } else if (is("stack_counter")) {
    Counter own;
    side_by_side([&] { own.add(); }, [&] { own.add(); });
  } else if (is("exit_status")) {
    side_by_side([] { counter.add(); }, [] { counter.add(); });
    return counter.value() == 2 ? 0 : 1;
  } else if (is("bank")) {
    int seen = 0;
    side_by_side([] { bank.transfer(10); }, [&] { seen = bank.total(); });
    std::printf("%d\n", seen);
  } else if (is("bank_ok")) {
    int seen = 0;
    side_by_side([] { bank.transfer_at_once(10); }, [&] { seen = bank.total(); });
    std::printf("%d\n", seen);
  } else if (is("place_ok")) {
    side_by_side([] { place.put(1); }, [] { place.put(2); },
                 [] { std::printf("%d\n", place.take()); },
                 [] { std::printf("%d\n", place.take()); });
  } else if (is("boxes_ok")) {
    const auto use = [](int first) {
      boxes[first].fill(first);
      boxes[1 - first].sum();
    };
    side_by_side([use] { use(0); }, [use] { use(1); });
  } else if (is("outside_ok")) {
    const auto add = [] {
      counter.add_at_once();
      outside.store(outside.load() + 1);
    };
    side_by_side(add, add);
  } else if (is("stamped_ok")) {
    side_by_side([] { stamped.note(); }, [] { stamped.note(); }, [] { counter.add_at_once(); });
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return argc == 2 ? run(argv[1]) : 2; }
