// Threads that were there before main. `clean`: a pool whose threads end by themselves, everything
// under one mutex. `racy`: two of them write the same word.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

struct Pool {
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false, race = false;
  int alive = 2;
  long words = 0;
  std::atomic<int> writers = 0;

  Pool() {
    for (int i = 0; i < 2; ++i) std::thread([this] { work(); }).detach();
  }
  void work() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return stop; });
    if (race) {
      lock.unlock();
      ++words;
      ++writers;
      lock.lock();
    }
    if (--alive == 0) changed.notify_all();
  }
  void end() {
    std::unique_lock lock(mutex);
    stop = true;
    changed.notify_all();
    changed.wait(lock, [this] { return alive == 0; });
  }
};
static Pool& pool = *new Pool;

int main(int, char** argv) {
  std::thread([] { std::lock_guard lock(pool.mutex); }).join();  // one more than there were
  {
    std::lock_guard lock(pool.mutex);
    pool.race = argv[1] == std::string("racy");
  }
  pool.end();
  delete &pool;
}

// SPDX-License-Identifier: Apache-2.0
