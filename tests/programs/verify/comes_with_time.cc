// Threads that look again and again for what others bring about only when time has passed: each of
// these finds it in the end, and fails then. The argument says which.
#include <poll.h>
#include <semaphore.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::atomic<int> left, right;
static std::mutex mutex, other;
static std::condition_variable never;
static bool seen;

static void after_sleeps() {
  while (left == 0) std::this_thread::sleep_for(500us);
}
static void of_two_words() {
  while (left == 0 && right == 0) {
  }
}
static void under_a_lock() {
  for (;;) {
    std::lock_guard hold(mutex);
    if (seen) return;
  }
}
static void of_two_locks() { std::scoped_lock both(mutex, other); }
static void by_time_outs() {
  std::unique_lock hold(mutex);
  while (!seen) never.wait_for(hold, 300us);
}
// What it looks at is no memory, and it wants to be asked four times. The other one is patient.
static int ends[2];
static sem_t answered;
static std::atomic<bool> stop;
static timespec after(long nanoseconds) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += nanoseconds;
  return time;
}
static void on_a_pipe() {
  for (int times = 0; !stop;) {
    pollfd entry = {ends[0], POLLIN, 0};
    if (poll(&entry, 1, 1) != 1) continue;
    char byte;
    if (read(ends[0], &byte, 1) == 1 && ++times == 4) return;
  }
}
static void ask() {
  for (;;) {
    if (write(ends[1], "", 1) != 1) return;
    const timespec time = after(5'000'000);
    if (sem_timedwait(&answered, &time) == 0) return;
  }
}

static void bring() {
  right = 1;
  left = 1;
  std::lock_guard hold(mutex);
  seen = true;
}

int main(int, char** arguments) {
  const char* how = arguments[1];
  other.lock();
  if (pipe(ends) != 0) return 2;
  std::thread looks([how] {
    if (!std::strcmp(how, "after_sleeps") || !std::strcmp(how, "of_a_timer")) after_sleeps();
    if (!std::strcmp(how, "of_two_words")) of_two_words();
    if (!std::strcmp(how, "under_a_lock")) under_a_lock();
    if (!std::strcmp(how, "of_two_locks")) of_two_locks();
    if (!std::strcmp(how, "by_time_outs")) by_time_outs();
    if (!std::strcmp(how, "on_a_pipe")) on_a_pipe();
    assert(!"found");
  });
  if (!std::strcmp(how, "of_a_timer")) {
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec once = {{}, {0, 2'000'000}};
    timerfd_settime(timer, 0, &once, nullptr);
    uint64_t ticks;
    if (read(timer, &ticks, sizeof ticks) != sizeof ticks) return 2;
  } else {
    std::this_thread::sleep_for(2ms);
  }
  if (!std::strcmp(how, "on_a_pipe")) ask();
  bring();
  other.unlock();
  looks.join();
}

// SPDX-License-Identifier: Apache-2.0
