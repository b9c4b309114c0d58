// fails: never
// latch_miscount with the count in both cases.
#include <atomic>
#include <latch>
#include <thread>

static std::latch done(2);
static std::atomic<bool> shutdown_requested{false};

static void worker() {
  if (shutdown_requested) {
    done.count_down();
    return;
  }
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
