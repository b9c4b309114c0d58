// About a hundred events in four threads: a small test.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int counter;
static std::atomic<int> arrived;

static void work() {
  for (int i = 0; i < 5; ++i) {
    std::lock_guard<std::mutex> lock(mutex);
    ++counter;
  }
  ++arrived;
}

int main() {
  std::thread a(work), b(work), c(work), d(work);
  a.join();
  b.join();
  c.join();
  d.join();
  return counter == 20 && arrived == 4 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
