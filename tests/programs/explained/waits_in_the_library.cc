// Each way to wait for ever inside a type of the standard library: the argument says which.
#include <atomic>
#include <barrier>
#include <cstring>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>

struct Gate {
  int visitors = 0;
  std::latch latch{2};
  std::barrier<> barrier{2};
  std::counting_semaphore<4> semaphore{0};
  std::atomic<int> word{0};
  std::atomic<bool> small{false};
  std::promise<int> promise;
};
Gate gate;

static void enter(const char* how) {
  if (!std::strcmp(how, "latch")) gate.latch.wait();
  if (!std::strcmp(how, "barrier")) gate.barrier.arrive_and_wait();
  if (!std::strcmp(how, "second_round")) {
    gate.barrier.arrive_and_wait();
    gate.barrier.arrive_and_wait();
  }
  if (!std::strcmp(how, "semaphore")) gate.semaphore.acquire();
  if (!std::strcmp(how, "word")) gate.word.wait(0);
  if (!std::strcmp(how, "small")) gate.small.wait(false);
  if (!std::strcmp(how, "future")) gate.promise.get_future().get();
}

int main(int, char** arguments) {
  std::thread visitor(enter, arguments[1]);
  if (!std::strcmp(arguments[1], "second_round")) gate.barrier.arrive_and_wait();
  visitor.join();
}

// SPDX-License-Identifier: Apache-2.0
