// fails: never
// double_checked with the object filled in before it is published.
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
      auto* fresh = new Service;
      fresh->open();
      instance = fresh;
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
