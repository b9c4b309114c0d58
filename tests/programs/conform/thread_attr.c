// Thread attributes: defaults, round trips and rejected values.
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"

int main(void) {
  pthread_attr_t a;
  int i = -1;
  size_t n = 0;
  CHECK_RC(pthread_attr_init(&a), 0);

  CHECK_RC(pthread_attr_getdetachstate(&a, &i), 0);
  CHECK_EQ(i, PTHREAD_CREATE_JOINABLE);
  CHECK_RC(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED), 0);
  CHECK_RC(pthread_attr_getdetachstate(&a, &i), 0);
  CHECK_EQ(i, PTHREAD_CREATE_DETACHED);
  CHECK_RC(pthread_attr_setdetachstate(&a, 77), EINVAL);

  CHECK_RC(pthread_attr_getstacksize(&a, &n), 0);
  CHECK(n >= (size_t)PTHREAD_STACK_MIN);
  CHECK_RC(pthread_attr_setstacksize(&a, 1 << 20), 0);
  CHECK_RC(pthread_attr_getstacksize(&a, &n), 0);
  CHECK_EQ(n, 1 << 20);
  CHECK_RC(pthread_attr_setstacksize(&a, 1), EINVAL);
  CHECK_RC(pthread_attr_setstacksize(&a, (size_t)PTHREAD_STACK_MIN), 0);

  CHECK_RC(pthread_attr_setguardsize(&a, 3 * 4096), 0);
  CHECK_RC(pthread_attr_getguardsize(&a, &n), 0);
  CHECK_EQ(n, 3 * 4096);
  CHECK_RC(pthread_attr_setguardsize(&a, 0), 0);

  CHECK_RC(pthread_attr_getscope(&a, &i), 0);
  CHECK_EQ(i, PTHREAD_SCOPE_SYSTEM);
  CHECK_RC(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM), 0);
  CHECK_RC(pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS), ENOTSUP);
  CHECK_RC(pthread_attr_setscope(&a, 55), EINVAL);

  CHECK_RC(pthread_attr_getinheritsched(&a, &i), 0);
  CHECK_EQ(i, PTHREAD_INHERIT_SCHED);
  CHECK_RC(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED), 0);
  CHECK_RC(pthread_attr_getinheritsched(&a, &i), 0);
  CHECK_EQ(i, PTHREAD_EXPLICIT_SCHED);
  CHECK_RC(pthread_attr_setinheritsched(&a, 55), EINVAL);

  CHECK_RC(pthread_attr_getschedpolicy(&a, &i), 0);
  CHECK_EQ(i, SCHED_OTHER);
  CHECK_RC(pthread_attr_setschedpolicy(&a, SCHED_FIFO), 0);
  CHECK_RC(pthread_attr_getschedpolicy(&a, &i), 0);
  CHECK_EQ(i, SCHED_FIFO);
  CHECK_RC(pthread_attr_setschedpolicy(&a, 99), EINVAL);
  struct sched_param p = {.sched_priority = 3};
  CHECK_RC(pthread_attr_setschedparam(&a, &p), 0);
  p.sched_priority = 0;
  CHECK_RC(pthread_attr_getschedparam(&a, &p), 0);
  CHECK_EQ(p.sched_priority, 3);
  p.sched_priority = 10000;
  CHECK_RC(pthread_attr_setschedparam(&a, &p), EINVAL);

  void *mem = NULL, *back = NULL;
  CHECK_RC(posix_memalign(&mem, 4096, 256 * 1024), 0);
  CHECK_RC(pthread_attr_setstack(&a, mem, 256 * 1024), 0);
  CHECK_RC(pthread_attr_getstack(&a, &back, &n), 0);
  CHECK(back == mem);
  CHECK_EQ(n, 256 * 1024);
  CHECK_RC(pthread_attr_setstack(&a, mem, 16), EINVAL);

  cpu_set_t set, got;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  CHECK_RC(pthread_attr_setaffinity_np(&a, sizeof set, &set), 0);
  CPU_ZERO(&got);
  CHECK_RC(pthread_attr_getaffinity_np(&a, sizeof got, &got), 0);
  CHECK(CPU_EQUAL(&set, &got));

  sigset_t mask, mask_got;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  CHECK_RC(pthread_attr_getsigmask_np(&a, &mask_got), PTHREAD_ATTR_NO_SIGMASK_NP);
  CHECK_RC(pthread_attr_setsigmask_np(&a, &mask), 0);
  CHECK_RC(pthread_attr_getsigmask_np(&a, &mask_got), 0);
  CHECK_EQ(sigismember(&mask_got, SIGUSR1), 1);
  CHECK_EQ(sigismember(&mask_got, SIGUSR2), 0);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  free(mem);

  // The process-wide default.
  CHECK_RC(pthread_getattr_default_np(&a), 0);
  size_t was = 0;
  CHECK_RC(pthread_attr_getstacksize(&a, &was), 0);
  CHECK_RC(pthread_attr_setstacksize(&a, 3 << 20), 0);
  CHECK_RC(pthread_setattr_default_np(&a), 0);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  CHECK_RC(pthread_getattr_default_np(&a), 0);
  CHECK_RC(pthread_attr_getstacksize(&a, &n), 0);
  CHECK_EQ(n, 3 << 20);
  CHECK_RC(pthread_attr_destroy(&a), 0);

  int level = pthread_getconcurrency();
  CHECK_RC(pthread_setconcurrency(3), 0);
  CHECK_EQ(pthread_getconcurrency(), 3);
  CHECK_RC(pthread_setconcurrency(-1), EINVAL);
  CHECK_RC(pthread_setconcurrency(level), 0);
  return check_passed("thread_attr");
}

// SPDX-License-Identifier: Apache-2.0
