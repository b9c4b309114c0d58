// fails: never
// early_timeout with a wait that does not give up.
#undef NDEBUG  // the assertion is the point
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static bool ready;
static int answer;

static void compute() {
  std::lock_guard<std::mutex> lock(mutex);
  answer = 42;
  ready = true;
  cond.notify_one();
}

int main() {
  std::thread t(compute);
  {
    std::unique_lock<std::mutex> lock(mutex);
    cond.wait(lock, [] { return ready; });
    assert(answer == 42);
  }
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
