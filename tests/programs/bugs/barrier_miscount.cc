// fails: deadlock (some schedules)
// A worker that finds nothing to do leaves without passing the barrier. Shown when one worker takes
// both chunks.
#include <pthread.h>

#include <atomic>
#include <thread>

static pthread_barrier_t phase;
static std::atomic<int> next_chunk{0};
static int results[2];

static void work() {
  bool any = false;
  for (int chunk; (chunk = next_chunk++) < 2;) {
    results[chunk] = chunk + 1;
    any = true;
  }
  if (!any) return;
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
