// SPDX-License-Identifier: Apache-2.0
// A lock in inline assembly: threads wait in a loop that no hook sees.
#include <assert.h>
#include <pthread.h>

static volatile int lock;
static int counter;

static int exchange(volatile int* at, int value) {
#if defined(__x86_64__)
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
  return value;
#else
  int before, failed;
  do {
    __asm__ volatile(
        "ldaxr %w0, %2\n"
        "stlxr %w1, %w3, %2\n"
        : "=&r"(before), "=&r"(failed), "+Q"(*at)
        : "r"(value)
        : "memory");
  } while (failed);
  return before;
#endif
}

static void* add(void* unused) {
  for (int i = 0; i < 2; ++i) {
    while (exchange(&lock, 1)) {
    }
    ++counter;
    exchange(&lock, 0);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 4);
  return 0;
}
