// SPDX-License-Identifier: Apache-2.0
// Waits of an hour that another thread ends at once: a loop with a timer, a condition variable, a
// sleep that is long enough for anything. No machine is so busy that an hour passes first.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static int wake, timer, set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int told, done;

static void* loop(void* unused) {
  for (int turns = 0; turns < 2;) {
    struct epoll_event event;
    CHECK(epoll_wait(set, &event, 1, 2 * 3600 * 1000) == 1);
    CHECK(event.data.fd == wake);
    uint64_t count;
    CHECK(read(wake, &count, sizeof count) == sizeof count);
    turns += (int)count;
  }
  return unused;
}

static void* waiter(void* unused) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 3600;
  pthread_mutex_lock(&mutex);
  while (!told) CHECK(pthread_cond_timedwait(&changed, &mutex, &deadline) == 0);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* sender(void* unused) {
  for (int i = 0; i < 2; ++i) {
    const uint64_t one = 1;
    CHECK(write(wake, &one, sizeof one) == sizeof one);
  }
  pthread_mutex_lock(&mutex);
  told = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  __atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
  return unused;
}

static void add(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
}

int main(void) {
  set = epoll_create1(0);
  wake = eventfd(0, 0);
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec hour = {.it_value.tv_sec = 3600};
  CHECK(timerfd_settime(timer, 0, &hour, NULL) == 0);
  add(wake);
  add(timer);
  void* (*const bodies[])(void*) = {loop, waiter, sender};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
  sleep(3600);
  CHECK(__atomic_load_n(&done, __ATOMIC_SEQ_CST) == 1);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
