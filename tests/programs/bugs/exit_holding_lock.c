// fails: deadlock (some schedules)
// A thread gives up by pthread_exit, deep inside, with a mutex locked. Shown when it comes before
// what it needs is ready; who wants the mutex afterwards waits for a thread that is long gone.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int used;

static void use(void) {
  if (!atomic_load(&ready)) pthread_exit(NULL);
  used++;
}

static void* user(void* arg) {
  pthread_mutex_lock(&lock);
  use();
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* reporter(void* arg) {
  pthread_mutex_lock(&lock);
  *(int*)arg = used;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t t;
  int seen = 0;
  if (pthread_create(&t, NULL, user, NULL) != 0) return 2;
  atomic_store(&ready, 1);
  pthread_join(t, NULL);
  if (pthread_create(&t, NULL, reporter, &seen) != 0) return 2;
  pthread_join(t, NULL);
  return seen == used ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
