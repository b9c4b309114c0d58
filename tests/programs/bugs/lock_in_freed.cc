// fails: heap use-after-free (some schedules)
// The last one out deletes the object that the mutex is in, but is not always the last to leave the
// mutex. Shown when it deletes while the other still has to unlock.
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

static void work(Shared* shared) {
  --shared->users;  // without the mutex
  std::lock_guard<std::mutex> lock(shared->mutex);
}

int main() {
  auto* shared = new Shared;
  std::thread a(leave, shared), b(work, shared);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
