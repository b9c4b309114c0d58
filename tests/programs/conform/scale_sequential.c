// Many threads one after another (argument, default 2000): memory must not grow with their number.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../check.h"

static long sum;
static __thread int fresh = 3;

static void* body(void* arg) {
  CHECK_EQ(fresh, 3);
  fresh = 4;
  sum += (long)(intptr_t)arg;
  char* p = malloc(100);
  CHECK(p);
  p[0] = 1;
  free(p);
  return arg;
}

static long resident_kib(void) {
  struct rusage usage;
  CHECK_OK(getrusage(RUSAGE_SELF, &usage));
  return usage.ru_maxrss;
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 2000;
  CHECK(n > 0);
  long after_first = 0;
  for (long i = 1; i <= n; i++) {
    pthread_t t;
    void* result = NULL;
    CHECK_RC(pthread_create(&t, NULL, body, (void*)(intptr_t)i), 0);
    CHECK_RC(pthread_join(t, &result), 0);
    CHECK_EQ((intptr_t)result, i);
    if (i == n / 10) after_first = resident_kib();
  }
  CHECK_EQ(sum, n * (n + 1) / 2);
  CHECK(resident_kib() - after_first < 64 * 1024);
  return check_passed("scale_sequential");
}

// SPDX-License-Identifier: Apache-2.0
