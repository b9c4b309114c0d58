// quick_exit runs its own list, and leaves stdio and the other list alone.
#include "pristine.h"

static int handlers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(void) { handlers++; }
static void never(void) { abort(); }

static void* end(void* number) {
  pthread_mutex_lock(&lock);
  printf("left in the buffer by %ld", (long)number);
  quick_exit(0);
}

int main(void) {
  PRISTINE(handlers == 0);
  MUST(atexit(never) == 0);
  for (int i = 0; i < 40; i++) MUST(at_quick_exit(count) == 0);
  in_threads(2, end);
  abort();
}

// SPDX-License-Identifier: Apache-2.0
