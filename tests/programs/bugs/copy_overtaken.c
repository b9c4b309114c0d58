// fails: abort (some schedules)
// A copy reads before the other thread changes both, and writes after it.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>
#include <string.h>

static struct block {
  int words[4];
} from, to;

static void *copy(void *unused) {
  memcpy(&to, &from, sizeof to);
  return unused;
}

static void *change(void *unused) {
  from.words[0] = 1;
  to.words[0] = 2;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, copy, NULL);
  pthread_create(&threads[1], NULL, change, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(to.words[0] != 0);
}

// SPDX-License-Identifier: Apache-2.0
