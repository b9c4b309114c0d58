// fails: adversarial livelock (only while the schedule keeps both in step)
// Two people in a corridor: each steps aside when it meets the other. Shown only while both keep
// stepping at the same time; any difference in speed ends it, so this needs an adversarial, yet
// fair, schedule, and no sampler keeps that up for ever.
#include <atomic>
#include <thread>

static std::atomic<int> side_of[2] = {0, 0};

static void walk(int me) {
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
