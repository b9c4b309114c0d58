// quick_exit from a thread: at_quick_exit handlers last registered first, no atexit handlers, no
// flushing.
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

static char order[8];

static void wrong(void) { check_failed(__FILE__, __LINE__, "an atexit handler ran"); }
static void first(void) {
  CHECK_EQ(strcmp(order, "b"), 0);
  check_passed("proc_quick_exit");
}
static void second(void) { strcat(order, "b"); }

static void* leaves(void* arg) { quick_exit(*(int*)arg); }

int main(void) {
  static int status = 0;
  CHECK_RC(atexit(wrong), 0);
  CHECK_RC(at_quick_exit(first), 0);
  CHECK_RC(at_quick_exit(second), 0);
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, leaves, &status), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
