// SPDX-License-Identifier: Apache-2.0
// Fibers of two threads that share work, a channel between them, a mutex of theirs.
#include <boost/fiber/all.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::fibers::unbuffered_channel<int> channel;
  boost::fibers::mutex mutex;
  int sum = 0;
  std::thread other([&] {
    boost::fibers::fiber fibers[2];
    for (boost::fibers::fiber& fiber : fibers) {
      fiber = boost::fibers::fiber([&] {
        for (int value : channel) {
          std::lock_guard<boost::fibers::mutex> lock(mutex);
          sum += value;
        }
      });
    }
    for (boost::fibers::fiber& fiber : fibers) fiber.join();
  });
  boost::fibers::fiber([&] {
    for (int i = 1; i <= 4; ++i) channel.push(i);
    channel.close();
  }).join();
  other.join();
  assert(sum == 10);
}
