// fails: never
// lock_in_freed where everybody leaves the same way.
#include <atomic>
#include <mutex>
#include <thread>

struct Shared {
  std::mutex mutex;
  std::atomic<int> users{2};
};

static void leave(Shared* shared) {
  shared->mutex.lock();
  const bool last = --shared->users == 0;
  shared->mutex.unlock();
  if (last) delete shared;
}

int main() {
  auto* shared = new Shared;
  std::thread a(leave, shared), b(leave, shared);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
