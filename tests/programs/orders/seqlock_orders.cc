// fails: never
// A sequence lock with the default order everywhere. Who has read a part of the new data has to
// see that it is being written: the data are stored with release and read with acquire. That the
// data are complete needs the same of the version.
#include <assert.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<int> version, first, second;

void publish(int value) {
  version.store(1);
  first.store(value);
  second.store(value);
  version.store(2);
}

bool look(int& a, int& b) {
  const int before = version.load();
  if (before % 2 != 0) return false;
  a = first.load();
  b = second.load();
  return version.load() == before;
}

}  // namespace

int main() {
  std::thread writer(publish, 7);
  int a = 0, b = 0;
  if (look(a, b)) assert(a == b);
  writer.join();
}

// SPDX-License-Identifier: Apache-2.0
