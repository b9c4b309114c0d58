// Who drops the last reference sees what all owners did before they dropped theirs. The function is
// called by main, where it is inlined, and by a thread: one line, two places in the code.
#ifndef TESTS_PROGRAMS_WEAK_LAST_OWNER_H
#define TESTS_PROGRAMS_WEAK_LAST_OWNER_H

#include <assert.h>

#include <atomic>
#include <thread>

std::atomic<int> owners{2};
std::atomic<int> done[2];

int main() {
  const auto drop = [](int me) {
    done[me].store(1, std::memory_order_relaxed);
    if (owners.fetch_sub(1, DROP) == 1) {
      assert(done[1 - me].load(std::memory_order_relaxed) == 1);
    }
  };
  std::thread other(drop, 0);
  drop(1);
  other.join();
}

#endif

// SPDX-License-Identifier: Apache-2.0
