// fails: never
// barrier_miscount with every worker at the barrier.
#include <pthread.h>

#include <atomic>
#include <thread>

static pthread_barrier_t phase;
static std::atomic<int> next_chunk{0};
static int results[2];

static void work() {
  for (int chunk; (chunk = next_chunk++) < 2;) {
    results[chunk] = chunk + 1;
  }
  pthread_barrier_wait(&phase);
}

int main() {
  pthread_barrier_init(&phase, nullptr, 2);
  std::thread a(work), b(work);
  a.join();
  b.join();
  return results[0] + results[1] == 3 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
