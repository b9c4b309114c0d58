// fails: never
// joinable_destructor with a std::jthread.
#include <atomic>
#include <thread>

static std::atomic<int> cache{0};

static void refresh() { cache = 7; }

static int query() {
  std::jthread refresher(refresh);
  const int cached = cache;
  if (cached != 0) return cached;
  refresher.join();
  return cache;
}

int main() { return query() == 7 ? 0 : 1; }

// SPDX-License-Identifier: Apache-2.0
