// fails: livelock (always)
// Each side waits for the other to be ready before it says so itself, politely yielding.
#include <atomic>
#include <thread>

static std::atomic<bool> ready[2];

static void side(int me) {
  while (!ready[1 - me]) std::this_thread::yield();
  ready[me] = true;
}

int main() {
  std::thread a(side, 0), b(side, 1);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
