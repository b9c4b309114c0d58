// fails: never
// divide_by_zero with the case of no samples.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum, samples;

static int divide(int a, int b) {
#if !defined(__x86_64__) && !defined(__i386__)
  if (b == 0) __builtin_trap();
#endif
  return a / b;
}

static void* sample(void* arg) {
  pthread_mutex_lock(&mutex);
  sum += 21;
  samples++;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void* report(void* arg) {
  pthread_mutex_lock(&mutex);
  *(int*)arg = samples == 0 ? 21 : divide(sum, samples);
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t a, b;
  int average = 0;
  if (pthread_create(&a, NULL, sample, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, report, &average) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return average == 21 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
