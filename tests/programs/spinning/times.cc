// Programs that count on time, chosen by the argument.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::atomic<bool> done{false};

// What most test suites do: start, sleep long, look. Fails when the sleep ends early.
int sleeps_then_looks() {
  std::thread worker([] { done = true; });
  std::this_thread::sleep_for(milliseconds(500));
  const bool looked = done;
  worker.join();
  return looked ? 0 : 1;
}

// Both sleep, the worker not as long. Fails when the longer sleep is over first.
int sleeps_longer() {
  static std::atomic<bool> sleeps{false};
  std::thread worker([] {
    sleeps = true;
    std::this_thread::sleep_for(milliseconds(100));
    done = true;
  });
  std::this_thread::sleep_for(milliseconds(10));
  const bool slept = sleeps;
  std::this_thread::sleep_for(milliseconds(500));
  const bool looked = done;
  worker.join();
  return looked || !slept ? 0 : 1;
}

// A wait with a guard that should never strike, while the other side computes for a while.
int guarded_wait() {
  static std::mutex mutex;
  static std::condition_variable changed;
  static bool ready = false;
  static std::atomic<int> work{0};
  std::thread worker([] {
    for (int i = 0; i < 20'000; ++i) ++work;
    const std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
  });
  bool came = false;
  {
    std::unique_lock lock(mutex);
    came = changed.wait_for(lock, std::chrono::seconds(5), [] { return ready; });
  }
  worker.join();
  return came ? 0 : 1;
}

// The same with a loop that waits for descriptors.
int guarded_loop() {
  int pipes[2][2];
  for (auto& each : pipes) {
    if (pipe(each) != 0) return 2;
  }
  std::thread worker([&] {
    for (int i = 0; i < 4; ++i) {
      if (write(pipes[i % 2][1], "x", 1) != 1) std::abort();
    }
  });
  bool came = true;
  for (int left = 4; left > 0 && came;) {
    pollfd set[] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
    came = poll(set, 2, 5000) > 0;
    char byte;
    for (const pollfd& each : set) {
      if (each.revents & POLLIN) left -= static_cast<int>(read(each.fd, &byte, 1));
    }
  }
  worker.join();
  return came ? 0 : 1;
}

// A loop with a reply due after 0.9 s and a deadline after 1 s, which it looks at first. Fails when
// the loop is held up until both are due.
int deadline_and_reply() {
  const int loop = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  for (int i = 0; i < 2; ++i) epoll_ctl(loop, EPOLL_CTL_ADD, eventfd(0, 0), &event);
  const auto start = Clock::now();
  const auto reply = start + milliseconds(900), deadline = start + milliseconds(1000);
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(reply - Clock::now()).count() + 1;
    epoll_wait(loop, &event, 1, left < 0 ? 0 : static_cast<int>(left));
    const auto now = Clock::now();
    if (now >= deadline) return 1;
    if (now >= reply) return 0;
  }
}

// Polls, like those of hangs.cc, but for a number of times, or until a time that is far away, and
// knows what time it is.
int polls_a_number_of_times() {
  static std::mutex mutex;
  static std::condition_variable changed;
  std::thread([] {
    std::unique_lock lock(mutex);
    for (int i = 0; i < 10'000 && !done; ++i) changed.wait_for(lock, milliseconds(10));
  }).join();
  return 0;
}

int polls_for_hours() {
  static std::mutex mutex;
  static std::condition_variable changed;
  static bool early = false;
  const auto until = [](std::chrono::hours hours) {
    std::unique_lock lock(mutex);
    const auto end = Clock::now() + hours;
    while (!done && Clock::now() < end) {
      const auto soon = Clock::now() + milliseconds(50);
      if (changed.wait_until(lock, soon) == std::cv_status::timeout) early |= Clock::now() < soon;
    }
  };
  std::thread longer(until, std::chrono::hours(30));
  until(std::chrono::hours(1));
  longer.join();
  return early ? 1 : 0;
}

// Two threads that ask until it is their turn.
int polls_directory() {
  const auto is_in = [](const char* wanted) {
    char folder[4096];
    return getcwd(folder, sizeof folder) && std::strcmp(folder, wanted) == 0;
  };
  const int home = open(".", O_RDONLY | O_DIRECTORY);
  std::thread other([&] {
    while (!is_in("/")) {
    }
    if (chdir("/usr") != 0) std::abort();
  });
  for (volatile int i = 0; i < 30'000; i = i + 1) {
  }
  if (chdir("/") != 0) std::abort();
  while (!is_in("/usr")) std::this_thread::yield();
  other.join();
  return fchdir(home);
}

}  // namespace

int main(int argc, char** argv) {
  struct Case {
    const char* name;
    int (*run)();
  };
  constexpr Case kCases[] = {{"sleeps_then_looks", sleeps_then_looks},
                             {"sleeps_longer", sleeps_longer},
                             {"guarded_wait", guarded_wait},
                             {"guarded_loop", guarded_loop},
                             {"deadline_and_reply", deadline_and_reply},
                             {"polls_a_number_of_times", polls_a_number_of_times},
                             {"polls_for_hours", polls_for_hours},
                             {"polls_directory", polls_directory}};
  for (const Case& each : kCases) {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) return each.run();
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
