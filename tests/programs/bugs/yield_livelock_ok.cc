// fails: never
// yield_livelock with each side saying so first.
#include <atomic>
#include <thread>

static std::atomic<bool> ready[2];

static void side(int me) {
  ready[me] = true;
  while (!ready[1 - me]) std::this_thread::yield();
}

int main() {
  std::thread a(side, 0), b(side, 1);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
