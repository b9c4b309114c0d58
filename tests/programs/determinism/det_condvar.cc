// Condition variables: which waiter each notification wakes, timed waits that may or may not time
// out.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::mutex mutex;
static std::condition_variable cond;
static std::deque<int> queue;
static bool closed;

static void consume(int id) {
  std::unique_lock<std::mutex> lock(mutex);
  int time_outs = 0;
  for (;;) {
    if (!cond.wait_for(lock, std::chrono::milliseconds(1 + id),
                       [] { return closed || !queue.empty(); })) {
      if (++time_outs < 4) std::printf("consumer %d timed out\n", id);
      continue;
    }
    if (queue.empty()) break;
    std::printf("consumer %d took %d\n", id, queue.front());
    queue.pop_front();
  }
  std::printf("consumer %d leaves\n", id);
}

int main() {
  std::vector<std::thread> consumers, producers;
  for (int i = 0; i < 4; i++) consumers.emplace_back(consume, i);
  for (int i = 0; i < 3; i++) {
    producers.emplace_back([i] {
      for (int k = 0; k < 8; k++) {
        {
          std::lock_guard<std::mutex> lock(mutex);
          queue.push_back(i * 100 + k);
        }
        cond.notify_one();
        if (k % 4 == 3) std::this_thread::sleep_for(1ms);
      }
    });
  }
  for (auto& t : producers) t.join();
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
  }
  cond.notify_all();
  for (auto& t : consumers) t.join();
}

// SPDX-License-Identifier: Apache-2.0
