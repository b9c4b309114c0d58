// fails: never
// The reader says that it is done, the writer goes on then. In the memory model of the tool a load
// is never executed late, so that it finds nothing wrong with relaxed orders; C++ lets the reader
// read what the writer writes then. The release and the acquire have to stay.
#include <assert.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<int> data, done;

}  // namespace

int main() {
  std::thread reader([] {
    const int value = data.load(std::memory_order_relaxed);
    done.store(1, std::memory_order_release);
    assert(value == 0);
  });
  if (done.load(std::memory_order_acquire) == 1) data.store(7, std::memory_order_relaxed);
  reader.join();
}

// SPDX-License-Identifier: Apache-2.0
