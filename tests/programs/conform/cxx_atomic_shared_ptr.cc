// std::atomic<std::shared_ptr>: load, store, exchange, compare_exchange, wait; readers always see a
// whole object.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "../check.h"

static std::atomic<int> alive{0};

struct Config {
  explicit Config(int v) : a(v), b(v) { alive++; }
  ~Config() {
    a = b = -1;
    alive--;
  }
  int a, b;
};

int main() {
  {
    std::atomic<std::shared_ptr<Config>> current{std::make_shared<Config>(0)};
    std::atomic<bool> stop{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; i++) {
      readers.emplace_back([&] {
        int last = 0;
        while (!stop) {
          auto config = current.load();
          CHECK_EQ(config->a, config->b);
          CHECK(config->a >= last);
          last = config->a;
          std::this_thread::yield();
        }
      });
    }
    for (int v = 1; v <= 20; v++) current.store(std::make_shared<Config>(v));
    stop = true;
    for (auto& t : readers) t.join();
    CHECK_EQ(current.load()->a, 20);
    CHECK_EQ(alive.load(), 1);

    // Increments by compare-exchange: none lost.
    std::vector<std::thread> writers;
    for (int i = 0; i < 3; i++) {
      writers.emplace_back([&] {
        for (int k = 0; k < 15; k++) {
          auto old = current.load();
          while (!current.compare_exchange_weak(old, std::make_shared<Config>(old->a + 1)))
            continue;
        }
      });
    }
    for (auto& t : writers) t.join();
    CHECK_EQ(current.load()->a, 65);

    auto replaced = current.exchange(nullptr);
    CHECK_EQ(replaced->a, 65);
    CHECK_EQ(replaced.use_count(), 1);
    std::thread setter([&] {
      current.store(std::make_shared<Config>(7));
      current.notify_all();
    });
    current.wait(nullptr);
    CHECK_EQ(current.load()->a, 7);
    setter.join();

    std::atomic<std::weak_ptr<Config>> weak{replaced};
    CHECK_EQ(weak.load().lock()->a, 65);
    replaced.reset();
    CHECK(weak.load().expired());
  }
  CHECK_EQ(alive.load(), 0);
  return check_passed("cxx_atomic_shared_ptr");
}

// SPDX-License-Identifier: Apache-2.0
