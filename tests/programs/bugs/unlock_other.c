// fails: misuse unlock-not-owner (always)
// The receiver unlocks what the sender locked: a mutex used as a signal. glibc does not notice with
// a normal mutex; POSIX leaves it undefined.
#include <pthread.h>

static pthread_mutex_t filled = PTHREAD_MUTEX_INITIALIZER;

static void* fill(void* arg) {
  *(int*)arg = 5;
  pthread_mutex_unlock(&filled);
  return NULL;
}

int main(void) {
  pthread_t t;
  int cell = 0;
  pthread_mutex_lock(&filled);
  if (pthread_create(&t, NULL, fill, &cell) != 0) return 2;
  pthread_mutex_lock(&filled);  // waits until filled
  pthread_mutex_unlock(&filled);
  pthread_join(t, NULL);
  return cell == 5 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
