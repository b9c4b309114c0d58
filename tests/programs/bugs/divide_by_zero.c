// fails: signal SIGFPE|SIGTRAP (some schedules)
// The average is computed before the first sample is counted. Shown when the reporter runs first.
// (Where an integer division by zero does not trap, as on aarch64, the program traps itself:
// SIGTRAP.)
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
  *(int*)arg = divide(sum, samples);
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
