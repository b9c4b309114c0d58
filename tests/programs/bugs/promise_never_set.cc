// fails: deadlock (some schedules)
// The worker sets the promise in one branch only. Shown when the cancellation comes before the
// worker looks.
#include <atomic>
#include <future>
#include <thread>

static std::atomic<bool> cancelled{false};
static std::promise<int> result;

static void worker() {
  if (!cancelled) result.set_value(1);
}

int main() {
  std::thread t(worker);
  cancelled = true;
  const int r = result.get_future().get();
  t.join();
  return r >= 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
