// fails: never
// infinite_loop with both numbers set in one step.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned width, height;

__attribute__((noinline)) static unsigned gcd(unsigned a, unsigned b) {
  while (a != b) {
    if (a > b)
      a -= b;
    else
      b -= a;
  }
  return a;
}

static void* set(void* arg) {
  pthread_mutex_lock(&mutex);
  width = 1920;
  height = 1080;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void* reduce(void* arg) {
  pthread_mutex_lock(&mutex);
  unsigned w = width, h = height;
  pthread_mutex_unlock(&mutex);
  *(unsigned*)arg = gcd(w, h);
  return arg;
}

int main(void) {
  pthread_t a, b;
  unsigned divisor = 0;
  if (pthread_create(&a, NULL, set, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, reduce, &divisor) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return divisor == 0 || divisor == 120 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
