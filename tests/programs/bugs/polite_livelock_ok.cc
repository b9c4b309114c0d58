// fails: never
// polite_livelock with one person who stays put.
#include <atomic>
#include <thread>

static std::atomic<int> side_of[2] = {0, 0};

static void walk(int me) {
  if (me == 0) return;
  while (side_of[1 - me] == side_of[me]) {
    side_of[me] = 1 - side_of[me];
    std::this_thread::yield();
  }
}

int main() {
  std::thread a(walk, 0), b(walk, 1);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
