// shared_ptr and weak_ptr counts: copied and dropped in many threads, the object dies exactly once,
// locks of weak pointers see it alive or not at all.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "../check.h"

static std::atomic<int> alive{0}, deaths{0};

struct Object : std::enable_shared_from_this<Object> {
  Object() { alive++; }
  ~Object() {
    value = -1;
    alive--;
    deaths++;
  }
  int value = 42;
};

int main() {
  for (int round = 0; round < 10; round++) {
    deaths = 0;
    auto owner = round % 2 ? std::make_shared<Object>() : std::shared_ptr<Object>(new Object);
    std::weak_ptr<Object> weak = owner;
    std::atomic<int> seen{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([copy = owner, weak, &seen]() mutable {
        for (int k = 0; k < 20; k++) {
          std::shared_ptr<Object> another = copy;
          CHECK_EQ(another->value, 42);
          std::shared_ptr<Object> self = another->shared_from_this();
          CHECK(self == copy);
          CHECK(self.use_count() >= 3);
        }
        copy.reset();
        if (auto locked = weak.lock()) {  // perhaps still alive through others
          CHECK_EQ(locked->value, 42);
          seen++;
        }
      });
    }
    owner.reset();
    for (auto& t : threads) t.join();
    CHECK_EQ(alive.load(), 0);
    CHECK_EQ(deaths.load(), 1);
    CHECK(weak.expired());
    CHECK(!weak.lock());
    CHECK_EQ(weak.use_count(), 0);
  }
  return check_passed("cxx_shared_ptr");
}

// SPDX-License-Identifier: Apache-2.0
