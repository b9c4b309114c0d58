// fails: abort (some schedules)
// Double-checked locking that publishes the object before it is filled in. Shown when the second
// caller's unlocked check falls between the two.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Service {
  int port = 0;
  void open() { port = 80; }
};

static std::mutex mutex;
static std::atomic<Service*> instance{nullptr};

static Service* service() {
  if (!instance) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!instance) {
      instance = new Service;
      instance.load()->open();
    }
  }
  return instance;
}

static void use() { assert(service()->port == 80); }

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  delete instance;
}

// SPDX-License-Identifier: Apache-2.0
