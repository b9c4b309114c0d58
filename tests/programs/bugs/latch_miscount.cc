// fails: deadlock (some schedules)
// A worker that fails leaves without counting down. Shown when it sees the shutdown flag.
#include <atomic>
#include <latch>
#include <thread>

static std::latch done(2);
static std::atomic<bool> shutdown_requested{false};

static void worker() {
  if (shutdown_requested) return;
  done.count_down();
}

int main() {
  std::thread a(worker), b(worker);
  shutdown_requested = true;
  done.wait();
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
