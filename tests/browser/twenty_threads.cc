// Twenty threads add one each and may lose some: more lanes than fit beside each other. Compiled
// by reports_test.py in the folder of its campaign.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Registry {
  std::mutex lock;
  int entries = 0;
} registry;

void enter() {
  int seen;
  {
    const std::lock_guard<std::mutex> guard(registry.lock);
    seen = registry.entries;
  }
  const std::lock_guard<std::mutex> guard(registry.lock);
  registry.entries = seen + 1;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) threads.emplace_back(enter);
  for (std::thread& thread : threads) thread.join();
  assert(registry.entries == 20);
}

// SPDX-License-Identifier: Apache-2.0
