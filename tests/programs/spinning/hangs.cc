// Loops that nobody ends any more, chosen by the argument: each is a livelock under every schedule.
#include <poll.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>

namespace {

std::atomic<bool> go{false};
std::atomic<int> turn{0};
std::mutex mutex;
bool done = false;

// Over memory that no other thread has touched.
void alone() {
  std::thread([] {
    while (!go) {
    }
  }).join();
}

void two_flags() {
  std::thread a([] {
    while (!go) std::this_thread::yield();
  });
  std::thread b([] {
    while (turn != 1) {
    }
  });
  a.join();
  b.join();
}

void polls_asleep() {
  std::thread([] {}).join();
  while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void polls_descriptors() {
  std::thread([] {}).join();
  while (!go) poll(nullptr, 0, 10);
}

// Each look takes a lock, which is as it was when the look is over.
void polls_under_lock() {
  std::thread([] {
    for (;;) {
      const std::lock_guard guard(mutex);
      if (done) return;
    }
  }).join();
}

// Back-off that grows up to a limit.
void backs_off() {
  std::thread([] {
    for (int pause = 1; !go; pause = pause < 256 ? 2 * pause : 256) {
      for (int i = 0; i < pause; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }).join();
}

// With a time-out each time.
std::condition_variable changed;
void waits_for_a_while() {
  std::thread([] {
    std::unique_lock lock(mutex);
    while (!done) changed.wait_for(lock, std::chrono::milliseconds(10));
  }).join();
}

void tries_for_a_while() {
  static std::timed_mutex first, second;
  const auto both = [](std::timed_mutex& a, std::timed_mutex& b) {
    const std::lock_guard lock(a);
    ++turn;
    while (turn < 2) std::this_thread::yield();
    while (!b.try_lock_for(std::chrono::milliseconds(50))) {
    }
    b.unlock();
  };
  std::thread other([&] { both(second, first); });
  both(first, second);
  other.join();
}

void acquires_for_a_while() {
  static std::counting_semaphore<4> semaphore(0);
  std::thread([] {
    while (!semaphore.try_acquire_for(std::chrono::milliseconds(10))) {
    }
  }).join();
}

void asks_a_future() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread([] {}).join();
  while (future.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
  }
}

void waits_until() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread([] {
    timespec until;
    do {
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 1;
    } while (sem_timedwait(&semaphore, &until) != 0);
  }).join();
}

// What only this process changes, and nobody is left to do it.
void asks_for_a_variable() {
  std::thread([] {
    while (!std::getenv("JOSTLE_TESTS_GO")) {
    }
  }).join();
}

void asks_for_the_directory() {
  std::thread([] {
    char folder[4096];
    while (!getcwd(folder, sizeof folder) || std::strcmp(folder, "/nowhere") != 0)
      std::this_thread::yield();
  }).join();
}

}  // namespace

int main(int argc, char** argv) {
  struct Case {
    const char* name;
    void (*run)();
  };
  constexpr Case kCases[] = {{"alone", alone},
                             {"two_flags", two_flags},
                             {"polls_asleep", polls_asleep},
                             {"polls_descriptors", polls_descriptors},
                             {"polls_under_lock", polls_under_lock},
                             {"backs_off", backs_off},
                             {"waits_for_a_while", waits_for_a_while},
                             {"tries_for_a_while", tries_for_a_while},
                             {"acquires_for_a_while", acquires_for_a_while},
                             {"asks_a_future", asks_a_future},
                             {"waits_until", waits_until},
                             {"asks_for_a_variable", asks_for_a_variable},
                             {"asks_for_the_directory", asks_for_the_directory}};
  for (const Case& each : kCases) {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) each.run();
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
