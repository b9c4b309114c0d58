// fails: never
// join_twice where only one of them joins the worker.
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
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
