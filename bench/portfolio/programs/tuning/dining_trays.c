// SPDX-License-Identifier: Apache-2.0
// Six threads take two of five locks each, most of them in one order; three of them close a cycle of three.
#include <pthread.h>

enum { LOCKS = 5, EATERS = 6 };
static pthread_mutex_t locks[LOCKS];
static const int wants[EATERS][2] = {{0, 1}, {1, 2}, {3, 4}, {2, 0}, {0, 4}, {3, 4}};
static int eaten;
static pthread_mutex_t eaten_lock = PTHREAD_MUTEX_INITIALIZER;

static void* eat(void* argument) {
  const int* want = wants[(long)argument];
  pthread_mutex_lock(&locks[want[0]]);
  pthread_mutex_lock(&locks[want[1]]);
  pthread_mutex_lock(&eaten_lock);
  ++eaten;
  pthread_mutex_unlock(&eaten_lock);
  pthread_mutex_unlock(&locks[want[1]]);
  pthread_mutex_unlock(&locks[want[0]]);
  return 0;
}

int main(void) {
  for (int i = 0; i < LOCKS; ++i) pthread_mutex_init(&locks[i], 0);
  pthread_t threads[EATERS];
  for (long i = 0; i < EATERS; ++i) pthread_create(&threads[i], 0, eat, (void*)i);
  for (int i = 0; i < EATERS; ++i) pthread_join(threads[i], 0);
}
