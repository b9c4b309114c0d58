// exit from a thread that is not main, while main and others block for ever: handlers run last
// registered first in that thread, streams are flushed, status is as given.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../check.h"

static sem_t never;
static char order[8];
static __thread int is_exiting;

static void first(void) {
  CHECK_EQ(strcmp(order, "21"), 0);
  CHECK(is_exiting);
  printf("ok proc_exit_thread\n");  // flushed by exit itself
}
static void second(void) { strcat(order, "1"); }
static void late(void) { strcat(order, "2"); }

static void* blocks(void* arg) {
  for (;;) sem_wait(&never);
  return arg;
}

static void* exits(void* arg) {
  is_exiting = 1;
  CHECK_RC(atexit(late), 0);
  exit(*(int*)arg);
}

int main(void) {
  static int status = 0;
  CHECK_OK(sem_init(&never, 0, 0));
  CHECK_RC(atexit(first), 0);
  CHECK_RC(atexit(second), 0);
  pthread_t t;
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&t, NULL, blocks, NULL), 0);
  CHECK_RC(pthread_create(&t, NULL, exits, &status), 0);
  blocks(NULL);
}

// SPDX-License-Identifier: Apache-2.0
