// fails: never
// copy_overtaken with a mutex.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>
#include <string.h>

static struct block {
  int words[4];
} from, to;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *copy(void *unused) {
  pthread_mutex_lock(&mutex);
  memcpy(&to, &from, sizeof to);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *change(void *unused) {
  pthread_mutex_lock(&mutex);
  from.words[0] = 1;
  to.words[0] = 2;
  pthread_mutex_unlock(&mutex);
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
