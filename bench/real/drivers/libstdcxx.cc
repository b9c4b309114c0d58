// SPDX-License-Identifier: Apache-2.0
// The standard library's own building blocks, as documented, one a run.
#include <atomic>
#include <barrier>
#include <cassert>
#include <future>
#include <latch>
#include <map>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>

static void semaphore() {
  std::counting_semaphore<2> slots(0);
  std::jthread first([&] { slots.acquire(); }), second([&] { slots.acquire(); });
  slots.release();
  slots.release();
}
static void latch() {
  std::latch ready(2);
  int left = 0, right = 0;
  std::jthread first([&] { left = 1, ready.arrive_and_wait(), assert(right == 1); });
  std::jthread second([&] { right = 1, ready.arrive_and_wait(), assert(left == 1); });
}
static void barrier() {
  int phases = 0;
  std::barrier meet(2, [&]() noexcept { ++phases; });
  auto work = [&] {
    for (int i = 1; i <= 2; ++i) meet.arrive_and_wait(), assert(phases >= i);
  };
  { std::jthread first(work), second(work); }
  assert(phases == 2);
}
static void wait() {
  std::atomic<int> turn{0};
  std::jthread first([&] { turn.wait(0), assert(turn == 1), turn = 2, turn.notify_all(); });
  std::jthread second([&] { turn = 1, turn.notify_all(), turn.wait(1); });
}
static void future() {
  std::promise<int> promise;
  auto task =
      std::async(std::launch::async, [f = promise.get_future()]() mutable { return f.get() + 1; });
  promise.set_value(1);
  assert(task.get() == 2);
}
static void stop() {
  std::atomic<int> called{0};
  std::jthread thread(
      [&](std::stop_token token) { std::stop_callback note(token, [&] { ++called; }); });
  thread.request_stop(), thread.join();
  assert(called <= 1);
}
int main(int, char** words) {
  std::map<std::string, void (*)()>{{"semaphore", semaphore}, {"latch", latch},
                                    {"barrier", barrier},     {"wait", wait},
                                    {"future", future},       {"stop", stop}}
      .at(words[1])();
}
