// A hundred threads (first argument) and one counter under one mutex, each adding (second argument,
// default 50) times.
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static int times;

static void* add(void* arg) {
  for (int i = 0; i < times; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    counter++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return arg;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  times = argc > 2 ? atoi(argv[2]) : 50;
  CHECK(n > 0 && times > 0);
  pthread_t* t = calloc((size_t)n, sizeof *t);
  CHECK(t);
  for (int i = 0; i < n; i++) CHECK_RC(pthread_create(&t[i], NULL, add, NULL), 0);
  for (int i = 0; i < n; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(counter, (long)n * times);
  free(t);
  return check_passed("scale_counter");
}

// SPDX-License-Identifier: Apache-2.0
