// fails: never
// barrier_destroyed with both waited for.
#include <pthread.h>

static pthread_barrier_t barrier;

static void* arrive(void* arg) {
  pthread_barrier_wait(&barrier);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&barrier, NULL, 2);
  if (pthread_create(&a, NULL, arrive, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, arrive, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
