// fails: exit 1 (some schedules)
// main returns without waiting for the worker, whose file is then incomplete: an atexit handler
// checks. Shown when main is faster.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int written;

static void* save(void* arg) {
  for (int i = 0; i < 3; i++) atomic_fetch_add(&written, 1);
  return arg;
}

static void check(void) {
  if (atomic_load(&written) != 3) {
    fprintf(stderr, "only %d of 3 records written\n", atomic_load(&written));
    _exit(1);
  }
}

int main(void) {
  pthread_t t;
  atexit(check);
  if (pthread_create(&t, NULL, save, NULL) != 0) return 2;
  pthread_detach(t);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
