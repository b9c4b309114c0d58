// Numbered cases of one program: all in a row without arguments, or the one whose number is given.
// Every case is right under every legal schedule, and prints its name when it is over.
#ifndef TESTS_PROGRAMS_SIGNALS_CASES_H
#define TESTS_PROGRAMS_SIGNALS_CASES_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdlib.h>
#include <time.h>

#include "../check.h"

typedef struct {
  const char* name;
  void (*run)(void);
} Case;

#define CASE(function) \
  { #function, function }

static int run_cases(const char* program, const Case* cases, int count, int argc, char** argv) {
  const int only = argc > 1 ? atoi(argv[1]) : -1;
  CHECK(only < count);
  for (int i = 0; i < count; ++i) {
    if (only >= 0 && i != only) continue;
    cases[i].run();
    printf("%d %s\n", i, cases[i].name);
  }
  return check_passed(program);
}
#define RUN_CASES(program, cases, argc, argv) \
  run_cases(program, cases, (int)(sizeof cases / sizeof *cases), argc, argv)

// Lets the others get to where they block. Nothing depends on that it is long enough.
__attribute__((unused)) static void nap(void) {
  const struct timespec little = {0, 1000000};
  nanosleep(&little, NULL);
}

// Far away; it may come all the same.
__attribute__((unused)) static struct timespec later(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 1000;
  return time;
}

// For semaphores of the test itself: whatever interrupts it.
__attribute__((unused)) static void take(sem_t* semaphore) {
  while (sem_wait(semaphore) != 0) CHECK_EQ(errno, EINTR);
}

__attribute__((unused)) static void on_signal(int sig, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  CHECK_OK(sigaction(sig, &action, NULL));
}

__attribute__((unused)) static pthread_t start(void* (*function)(void*)) {
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, NULL, function, NULL), 0);
  return thread;
}

__attribute__((unused)) static void* join(pthread_t thread) {
  void* result;
  CHECK_RC(pthread_join(thread, &result), 0);
  return result;
}

#endif

// SPDX-License-Identifier: Apache-2.0
