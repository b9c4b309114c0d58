// Cancellation in C++: destructors and catch (...) clauses run, standard-library locks are
// released, thread_local objects die.
#include <pthread.h>
#include <semaphore.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "../check.h"

static std::mutex mutex;
static std::condition_variable cond;
static sem_t ready, never;
static int destroyed, caught, tls_destroyed, came_back;

struct Counts {
  ~Counts() { destroyed++; }
};
struct Local {
  ~Local() { tls_destroyed++; }
  int touched = 0;
};
static thread_local Local local;

static void* in_cond_wait(void*) {
  local.touched = 1;
  std::vector<std::unique_ptr<Counts>> many;
  for (int i = 0; i < 3; i++) many.push_back(std::make_unique<Counts>());
  std::unique_lock<std::mutex> lock(mutex);
  CHECK_OK(sem_post(&ready));
  for (;;) cond.wait(lock);
  return nullptr;
}

static void deep(int n) {
  Counts here;
  if (n > 0) {
    deep(n - 1);
  } else {
    CHECK_OK(sem_post(&ready));
    while (came_back == 0) sem_wait(&never);
  }
  came_back++;
}

static void* in_sem_wait(void*) {
  try {
    deep(9);
  } catch (...) {
    caught++;
    throw;  // cancellation must go on
  }
  return nullptr;
}

static void cancel(void* (*body)(void*)) {
  pthread_t t;
  void* result = nullptr;
  CHECK_RC(pthread_create(&t, nullptr, body, nullptr), 0);
  while (sem_wait(&ready) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_cancel(t), 0);
  CHECK_RC(pthread_join(t, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
}

int main() {
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_OK(sem_init(&never, 0, 0));
  for (int i = 1; i <= 10; i++) {
    destroyed = caught = 0;
    cancel(in_cond_wait);
    CHECK_EQ(destroyed, 3);
    CHECK_EQ(tls_destroyed, i);
    CHECK(mutex.try_lock());
    mutex.unlock();
    cancel(in_sem_wait);
    CHECK_EQ(destroyed, 13);
    CHECK_EQ(caught, 1);
    CHECK_EQ(came_back, 0);
  }
  return check_passed("cancel_unwind");
}

// SPDX-License-Identifier: Apache-2.0
