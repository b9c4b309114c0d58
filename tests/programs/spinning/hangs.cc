// Loops that nobody ends any more, chosen by the argument: each is a livelock under every schedule.
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
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
                             {"backs_off", backs_off}};
  for (const Case& each : kCases) {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) each.run();
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
