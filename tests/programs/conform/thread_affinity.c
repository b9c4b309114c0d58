// Affinity, scheduling parameters, yields and the CPU-time clock of a thread.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "../check.h"

static void* body(void* arg) {
  cpu_set_t set, empty;
  CPU_ZERO(&set);
  CHECK_RC(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
  CHECK(CPU_COUNT(&set) >= 1);
  CHECK_RC(pthread_setaffinity_np(pthread_self(), sizeof set, &set), 0);
  CPU_ZERO(&empty);
  CHECK_RC(pthread_setaffinity_np(pthread_self(), sizeof empty, &empty), EINVAL);
  CHECK_OK(sched_getaffinity(0, sizeof set, &set));
  CHECK(sched_getcpu() >= 0);
  CHECK_OK(sched_yield());

  int policy = -1;
  struct sched_param p;
  CHECK_RC(pthread_getschedparam(pthread_self(), &policy, &p), 0);
  CHECK_RC(pthread_setschedparam(pthread_self(), policy, &p), 0);
  CHECK_RC(pthread_setschedparam(pthread_self(), 99, &p), EINVAL);
  CHECK_RC(pthread_setschedprio(pthread_self(), p.sched_priority), 0);

  clockid_t clock;
  struct timespec before, after;
  CHECK_RC(pthread_getcpuclockid(pthread_self(), &clock), 0);
  CHECK_OK(clock_gettime(clock, &before));
  volatile unsigned sink = 0;
  for (int i = 0; i < 20000; i++) sink += (unsigned)i;
  CHECK(sink > 0);
  CHECK_OK(clock_gettime(clock, &after));
  CHECK(after.tv_sec > before.tv_sec ||
        (after.tv_sec == before.tv_sec && after.tv_nsec >= before.tv_nsec));
  CHECK_OK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before));
  CHECK_OK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before));
  return arg;
}

int main(void) {
  pthread_t t[3];
  pthread_attr_t a;
  cpu_set_t set;
  CPU_ZERO(&set);
  CHECK_RC(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
  CHECK_RC(pthread_attr_init(&a), 0);
  CHECK_RC(pthread_attr_setaffinity_np(&a, sizeof set, &set), 0);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&t[i], &a, body, NULL), 0);
  body(NULL);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  return check_passed("thread_affinity");
}

// SPDX-License-Identifier: Apache-2.0
