// A pthread_once routine that leaves by exception or by cancellation has not run: the next caller
// runs it again.
#include <pthread.h>
#include <semaphore.h>

#include <stdexcept>

#include "../check.h"

static pthread_once_t throw_once = PTHREAD_ONCE_INIT, cancel_once = PTHREAD_ONCE_INIT;
static int attempts, successes;  // touched inside the once routine only, which excludes

static void throws_twice() {
  if (++attempts <= 2) throw std::runtime_error("not yet");
  successes++;
}

static void* call_throwing(void* caught) {
  for (;;) {
    try {
      CHECK_RC(pthread_once(&throw_once, throws_twice), 0);
      return nullptr;
    } catch (const std::runtime_error&) {
      ++*static_cast<int*>(caught);
    }
  }
}

static int cancel_runs;
static sem_t in_routine, never;

static void cancelled_first() {
  cancel_runs++;
  if (cancel_runs > 1) return;
  CHECK_OK(sem_post(&in_routine));
  for (;;) sem_wait(&never);  // a cancellation point
}

static void* call_cancelled(void*) {
  pthread_once(&cancel_once, cancelled_first);
  return nullptr;
}

int main() {
  pthread_t t[4];
  int caught[4] = {};
  for (int i = 0; i < 4; i++)
    CHECK_RC(pthread_create(&t[i], nullptr, call_throwing, &caught[i]), 0);
  for (auto& thread : t) CHECK_RC(pthread_join(thread, nullptr), 0);
  CHECK_EQ(caught[0] + caught[1] + caught[2] + caught[3], 2);
  CHECK_EQ(attempts, 3);
  CHECK_EQ(successes, 1);

  CHECK_OK(sem_init(&in_routine, 0, 0));
  CHECK_OK(sem_init(&never, 0, 0));
  CHECK_RC(pthread_create(&t[0], nullptr, call_cancelled, nullptr), 0);
  while (sem_wait(&in_routine) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_create(&t[1], nullptr, call_cancelled, nullptr), 0);
  CHECK_RC(pthread_cancel(t[0]), 0);
  void* result = nullptr;
  CHECK_RC(pthread_join(t[0], &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK_RC(pthread_join(t[1], &result), 0);
  CHECK(result == nullptr);
  CHECK_EQ(cancel_runs, 2);
  return check_passed("thread_once_retry");
}

// SPDX-License-Identifier: Apache-2.0
