// fails: never
// spin_forever with a worker that waits for the request.
#include <atomic>
#include <thread>

static std::atomic<bool> requested{false}, answered{false};

static void worker() {
  while (!requested) std::this_thread::yield();
  answered = true;
}

int main() {
  std::thread t(worker);
  requested = true;
  while (!answered) std::this_thread::yield();
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
