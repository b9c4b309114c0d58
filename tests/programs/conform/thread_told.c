// What a program is told of a thread is what it asked for: size of stack and guard, processors, and
// that a thread which nobody can join is still running.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "../check.h"

static sem_t may_end;

static void* told_sizes(void* arg) {
  const size_t* wanted = (const size_t*)arg;
  pthread_attr_t a;
  void* lowest;
  size_t size, guard;
  CHECK_RC(pthread_getattr_np(pthread_self(), &a), 0);
  CHECK_RC(pthread_attr_getstack(&a, &lowest, &size), 0);
  CHECK_RC(pthread_attr_getguardsize(&a, &guard), 0);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  CHECK_EQ(size, wanted[0]);
  CHECK_EQ(guard, wanted[1]);
  CHECK((char*)&a > (char*)lowest && (char*)&a < (char*)lowest + size);
  return NULL;
}

static void stack_sizes(void) {
  size_t wanted[][2] = {{65536, 4096}, {262144, 8192}, {1048576, 65536}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    pthread_attr_t a;
    pthread_t thread;
    CHECK_RC(pthread_attr_init(&a), 0);
    CHECK_RC(pthread_attr_setstacksize(&a, wanted[i][0]), 0);
    CHECK_RC(pthread_attr_setguardsize(&a, wanted[i][1]), 0);
    CHECK_RC(pthread_create(&thread, &a, told_sizes, wanted[i]), 0);
    CHECK_RC(pthread_join(thread, NULL), 0);
    CHECK_RC(pthread_attr_destroy(&a), 0);
  }
}

static cpu_set_t own_processors(void) {
  cpu_set_t by_thread, by_kernel;
  CHECK_RC(pthread_getaffinity_np(pthread_self(), sizeof by_thread, &by_thread), 0);
  CHECK_OK(sched_getaffinity(0, sizeof by_kernel, &by_kernel));
  CHECK(CPU_EQUAL(&by_thread, &by_kernel));
  return by_thread;
}

static void* has_processors(void* arg) {
  const cpu_set_t now = own_processors();
  CHECK(CPU_EQUAL(&now, (const cpu_set_t*)arg));
  return NULL;
}

static void* narrows_itself(void* arg) {
  CHECK_OK(sched_setaffinity(0, sizeof(cpu_set_t), (const cpu_set_t*)arg));
  return has_processors(arg);
}

static void expect_processors(const pthread_attr_t* a, void* (*body)(void*), cpu_set_t* expected) {
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, a, body, expected), 0);
  CHECK_RC(pthread_join(thread, NULL), 0);
}

// Set by an attribute, inherited, and nobody else's.
static void processors(void) {
  cpu_set_t all = own_processors(), first, none;
  int processor = 0;
  while (!CPU_ISSET(processor, &all)) processor++;
  CPU_ZERO(&first);
  CPU_ZERO(&none);
  CPU_SET(processor, &first);
  pthread_attr_t a;
  CHECK_RC(pthread_attr_init(&a), 0);
  CHECK_RC(pthread_attr_setaffinity_np(&a, sizeof first, &first), 0);
  expect_processors(&a, has_processors, &first);
  expect_processors(NULL, has_processors, &all);
  expect_processors(NULL, narrows_itself, &first);
  expect_processors(NULL, has_processors, &all);
  CHECK_RC(pthread_setaffinity_np(pthread_self(), sizeof first, &first), 0);
  expect_processors(NULL, has_processors, &first);
  CHECK_RC(pthread_setaffinity_np(pthread_self(), sizeof all, &all), 0);
  CHECK_RC(pthread_setaffinity_np(pthread_self(), sizeof none, &none), EINVAL);
  CHECK_RC(pthread_attr_setaffinity_np(&a, sizeof none, &none), 0);
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, &a, has_processors, &none), EINVAL);
  CHECK_RC(pthread_attr_destroy(&a), 0);
}

static void* waits(void* arg) {
  CHECK_OK(sem_wait(&may_end));
  return arg;
}

static void still_running(void) {
  pthread_t thread;
  CHECK_OK(sem_init(&may_end, 0, 0));
  CHECK_RC(pthread_create(&thread, NULL, waits, NULL), 0);
  CHECK_RC(pthread_detach(thread), 0);
  CHECK_RC(pthread_tryjoin_np(thread, NULL), EBUSY);
  CHECK_OK(sem_post(&may_end));
}

int main(void) {
  stack_sizes();
  processors();
  still_running();
  return check_passed("thread_told");
}

// SPDX-License-Identifier: Apache-2.0
