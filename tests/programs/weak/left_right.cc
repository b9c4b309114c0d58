// fails: race (weak memory)
// Two sides of the data: the writer lets readers go to the other one and waits until nobody reads
// this one any more. Who comes in with acquire may be overlooked.
#include <atomic>
#include <thread>

int sides[2];
std::atomic<int> shown{0}, readers{0};
int seen;

void look() {
  readers.fetch_add(1, std::memory_order_acquire);
  const int side = shown.load();
  seen = sides[side];
  readers.fetch_sub(1, std::memory_order_release);
}

int main() {
  std::thread reader(look);
  sides[1] = 1;
  shown.store(1);
  while (readers.load() != 0) {
  }
  sides[0] = 1;
  reader.join();
  return seen == 0 || seen == 1 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
