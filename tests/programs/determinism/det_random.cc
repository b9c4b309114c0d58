// Randomness from every source: rand, random_device, time-seeded engines, clocks, process ids,
// addresses of stack and code.
#include <sys/random.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

static std::mutex mutex;

static void draw(int id) {
  std::mt19937 engine((unsigned)std::chrono::steady_clock::now().time_since_epoch().count());
  std::random_device device;
  for (int i = 0; i < 4; i++) {
    unsigned bytes = 0;
    if (getrandom(&bytes, sizeof bytes, 0) != sizeof bytes) std::abort();
    std::lock_guard<std::mutex> lock(mutex);
    std::printf("thread %d: rand %d, engine %u, device %u, bytes %u\n", id, std::rand(),
                (unsigned)engine(), device(), bytes);
  }
}

int main() {
  std::srand((unsigned)std::time(nullptr));
  std::printf("time %lld, first %d\n", (long long)std::time(nullptr), std::rand());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(draw, i);
  for (auto& t : threads) t.join();
  int local = 0;
  std::printf("page offsets: %u %u\n", (unsigned)((std::uintptr_t)&local % 4096),
              (unsigned)((std::uintptr_t)&draw % 4096));
}

// SPDX-License-Identifier: Apache-2.0
