// fails: never
// Each says that it comes and looks whether the other does: only seq_cst keeps both out. The
// counters have no need of any order.
#include <assert.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<bool> comes[2];
std::atomic<int> inside, looks[2];

void enter(int me) {
  comes[me].store(true);
  looks[me]++;
  if (comes[1 - me].load()) return;
  assert(inside.exchange(1, std::memory_order_relaxed) == 0);
}

}  // namespace

int main() {
  std::thread other(enter, 1);
  enter(0);
  other.join();
  assert(looks[0].load(std::memory_order_relaxed) == 1);
}

// SPDX-License-Identifier: Apache-2.0
