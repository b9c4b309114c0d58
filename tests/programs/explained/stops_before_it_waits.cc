// SPDX-License-Identifier: Apache-2.0
// Everybody is told to stop between a worker's look at the flag, in a predicate, and its wait.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
std::atomic<bool> goes_on{true};

void work() {
  std::unique_lock<std::mutex> guard(lock);
  changed.wait(guard, [] { return !goes_on.load(); });
}

int main() {
  std::thread worker(work);
  goes_on = false;
  changed.notify_all();
  worker.join();
}
