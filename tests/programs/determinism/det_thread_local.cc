// thread_local objects: construction and destruction order between threads, addresses only
// compared.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::atomic<int> born{0};

struct Diary {
  Diary() : number(++born) {}
  ~Diary() {
    std::lock_guard<std::mutex> lock(mutex);
    std::printf("diary %d closed after %d entries\n", number, entries);
  }
  void write() { entries++; }
  int number, entries = 0;
};

static thread_local Diary diary;
static thread_local int scratch = 5;

int main() {
  for (int round = 0; round < 3; round++) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++) {
      threads.emplace_back([i] {
        for (int k = 0; k <= i; k++) {
          diary.write();
          scratch += k;
        }
        std::lock_guard<std::mutex> lock(mutex);
        std::printf("thread %d has diary %d and scratch %d\n", i, diary.number, scratch);
      });
    }
    for (auto& t : threads) t.join();
  }
}

// SPDX-License-Identifier: Apache-2.0
