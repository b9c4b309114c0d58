// fails: livelock (some schedules)
// A start-up handshake through two flags: the worker answers only if it sees the request when it
// starts. Shown when it starts before the request: main then spins on an answer that nobody will
// give.
#include <atomic>
#include <thread>

static std::atomic<bool> requested{false}, answered{false};

static void worker() {
  if (requested) answered = true;
}

int main() {
  std::thread t(worker);
  requested = true;
  while (!answered) std::this_thread::yield();
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
