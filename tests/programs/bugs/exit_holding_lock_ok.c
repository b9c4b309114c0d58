// fails: never
// exit_holding_lock with a cleanup handler that unlocks the mutex on every way out.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int used;

static void unlock(void* mutex) { pthread_mutex_unlock(mutex); }

static void use(void) {
  if (!atomic_load(&ready)) pthread_exit(NULL);
  used++;
}

static void* user(void* arg) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(unlock, &lock);
  use();
  pthread_cleanup_pop(1);
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
