// fails: heap use of a thread_local (some schedules)
// A registry has a pointer to every thread's own counter, and the report reads them: also those of
// threads that have ended.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<std::atomic<long>*> registry;

struct Counter {
  std::atomic<long> hits{0};
  Counter() {
    const std::lock_guard guard(mutex);
    registry.push_back(&hits);
  }
};
static thread_local Counter counter;

static void report() {
  const std::lock_guard guard(mutex);
  long sum = 0;
  for (const auto* hits : registry) sum += *hits;
  if (sum < 0) registry.clear();
}

int main() {
  std::thread counts([] { ++counter.hits; });
  std::thread reports(report);
  reports.join();
  counts.join();
}

// SPDX-License-Identifier: Apache-2.0
