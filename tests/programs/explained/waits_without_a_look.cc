// SPDX-License-Identifier: Apache-2.0
// Nothing says that the signal has come already.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable started;

void follow() {
  std::unique_lock<std::mutex> guard(lock);
  started.wait(guard);
}

int main() {
  std::thread follower(follow);
  started.notify_one();
  follower.join();
}
