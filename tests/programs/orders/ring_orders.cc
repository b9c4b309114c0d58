// fails: never
// A ring for one producer and one consumer, with the default order everywhere. Each may read its
// own index relaxed; the other's has to be acquired, because a slot is used again.
#include <assert.h>

#include <atomic>
#include <thread>

namespace {

int slot;
std::atomic<unsigned> head, tail;

bool put(int value) {
  const unsigned at = head.load();
  if (at != tail.load()) return false;
  slot = value;
  head.store(at + 1);
  return true;
}

bool take(int& value) {
  const unsigned at = tail.load();
  if (at == head.load()) return false;
  value = slot;
  ++tail;
  return true;
}

}  // namespace

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 2; ++i) {
      while (!put(i)) {
      }
    }
  });
  for (int i = 1; i <= 2; ++i) {
    int value = 0;
    while (!take(value)) {
    }
    assert(value == i);
  }
  producer.join();
}

// SPDX-License-Identifier: Apache-2.0
