// SPDX-License-Identifier: Apache-2.0
// Each way to go round and round inside a type of the standard library: the argument says which.
#include <atomic>
#include <barrier>
#include <cstring>
#include <latch>
#include <semaphore>
#include <thread>

struct Gate {
  std::latch latch{2};
  std::barrier<> barrier{2};
  std::counting_semaphore<4> semaphore{0};
  std::atomic<int> word{0};
  std::atomic<bool> closed{true};
};
Gate gate;

static bool is(const char* argument, const char* what) { return !std::strcmp(argument, what); }

static void enter(const char* how) {
  if (is(how, "latch"))
    while (!gate.latch.try_wait()) {
    }
  if (is(how, "semaphore"))
    while (!gate.semaphore.try_acquire()) {
    }
  if (is(how, "word")) gate.word.wait(0);
  if (is(how, "barrier")) gate.barrier.arrive_and_wait();
}

int main(int, char** arguments) {
  std::thread visitor(enter, arguments[1]);
  if (is(arguments[1], "word"))
    while (gate.closed) gate.word.notify_all();
  if (is(arguments[1], "barrier"))
    while (gate.closed) {
    }
  visitor.join();
}
