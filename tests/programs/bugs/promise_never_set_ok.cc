// fails: never
// promise_never_set with a value in both branches.
#include <atomic>
#include <future>
#include <thread>

static std::atomic<bool> cancelled{false};
static std::promise<int> result;

static void worker() { result.set_value(cancelled ? 0 : 1); }

int main() {
  std::thread t(worker);
  cancelled = true;
  const int r = result.get_future().get();
  t.join();
  return r >= 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
