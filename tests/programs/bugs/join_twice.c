// fails: misuse join-twice (some schedules)
// Two threads clean up the same worker. Shown when the second join comes after the first is over:
// the handle is no thread's any more. (While the first still waits glibc says EINVAL.)
#include <pthread.h>

static pthread_t worker;

static void* work(void* arg) { return arg; }

static void* clean_up(void* arg) {
  pthread_join(worker, NULL);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&worker, NULL, work, NULL) != 0) return 2;
  if (pthread_create(&t, NULL, clean_up, NULL) != 0) return 2;
  pthread_join(worker, NULL);
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
