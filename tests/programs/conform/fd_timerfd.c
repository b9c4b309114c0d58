// timerfd: one-shot, periodic, absolute, disarmed; reads block their thread and poll sees expiry;
// never early.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <time.h>

#include "../check.h"

static long long ns(clockid_t clock) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint64_t expirations(int fd) {
  uint64_t n = 0;
  CHECK_EQ(read(fd, &n, sizeof n), sizeof n);
  CHECK(n >= 1);
  return n;
}

static void* one_shot(void* arg) {
  clockid_t clock = *(clockid_t*)arg;
  int fd = timerfd_create(clock, 0);
  CHECK(fd >= 0);
  struct itimerspec in = {{0, 0}, {0, 3000000}}, now;
  long long start = ns(clock);
  CHECK_OK(timerfd_settime(fd, 0, &in, NULL));
  CHECK_OK(timerfd_gettime(fd, &now));
  CHECK_EQ(now.it_interval.tv_nsec, 0);
  CHECK_EQ(expirations(fd), 1);
  CHECK(ns(clock) - start >= 3000000);
  CHECK_OK(timerfd_gettime(fd, &now));
  CHECK_EQ(now.it_value.tv_sec + now.it_value.tv_nsec, 0);
  struct pollfd p = {fd, POLLIN, 0};
  CHECK_EQ(poll(&p, 1, 5), 0);  // once only
  CHECK_OK(close(fd));
  return NULL;
}

static void* periodic(void* arg) {
  (void)arg;
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec every = {{0, 2000000}, {0, 1000000}}, old;
  long long start = ns(CLOCK_MONOTONIC);
  CHECK_OK(timerfd_settime(fd, 0, &every, NULL));
  uint64_t total = 0;
  while (total < 5) {
    struct pollfd p = {fd, POLLIN, 0};
    CHECK_EQ(poll(&p, 1, -1), 1);
    total += expirations(fd);
    CHECK(ns(CLOCK_MONOTONIC) - start >= 1000000 + (long long)(total - 1) * 2000000);
  }
  struct itimerspec off = {{0, 0}, {0, 0}};
  CHECK_OK(timerfd_settime(fd, 0, &off, &old));
  CHECK_EQ(old.it_interval.tv_nsec, 2000000);
  struct pollfd p = {fd, POLLIN, 0};
  CHECK_EQ(poll(&p, 1, 5), 0);
  CHECK_OK(close(fd));
  return NULL;
}

static void* absolute(void* arg) {
  (void)arg;
  int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
  long long when = ns(CLOCK_REALTIME) + 4000000;
  struct itimerspec at = {{0, 0}, {when / 1000000000, when % 1000000000}}, past = {{0, 0}, {1, 0}};
  CHECK_OK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL));
  uint64_t n;
  while (read(fd, &n, sizeof n) != sizeof n) {
    CHECK_EQ(errno, EAGAIN);
    usleep(500);
  }
  CHECK(ns(CLOCK_REALTIME) >= when);
  CHECK_OK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL));  // at once
  struct pollfd p = {fd, POLLIN, 0};
  CHECK_EQ(poll(&p, 1, -1), 1);
  CHECK_EQ(expirations(fd), 1);
  CHECK_OK(close(fd));
  return NULL;
}

// In one set with a descriptor that others, too, could make ready, and that is ready all the time.
static void beside_files(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0), files = inotify_init1(0), ep = epoll_create1(0);
  CHECK(inotify_add_watch(files, "/dev/null", IN_OPEN) >= 0);
  struct itimerspec every = {{0, 1000000}, {0, 1000000}};
  CHECK_OK(timerfd_settime(timer, 0, &every, NULL));
  struct epoll_event ours = {EPOLLIN, {.fd = timer}}, theirs = {EPOLLIN, {.fd = files}};
  CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, timer, &ours));
  CHECK_OK(epoll_ctl(ep, EPOLL_CTL_ADD, files, &theirs));
  CHECK_OK(close(open("/dev/null", O_RDONLY)));
  uint64_t ticks = 0, told = 0;
  while (ticks < 2 || !told) {
    struct epoll_event e[2];
    int n = epoll_wait(ep, e, 2, -1);
    for (int i = 0; i < n; i++) {
      if (e[i].data.fd == timer) ticks += expirations(timer);
      if (e[i].data.fd == files) told++;
    }
  }
  CHECK_OK(close(ep));
  CHECK_OK(close(files));
  CHECK_OK(close(timer));
}

int main(void) {
  CHECK_ERRNO(timerfd_create(12345, 0), EINVAL);
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec bad = {{0, 0}, {0, 1000000000}}, ok = {{0, 0}, {100, 0}};
  CHECK_ERRNO(timerfd_settime(fd, 0, &bad, NULL), EINVAL);
  int other[2];
  CHECK_OK(pipe(other));
  CHECK_ERRNO(timerfd_settime(other[0], 0, &ok, NULL), EINVAL);
  uint64_t n;
  CHECK_ERRNO(read(fd, &n, sizeof n), EAGAIN);  // not armed
  CHECK_ERRNO(read(fd, &n, 4), EINVAL);
  CHECK_OK(close(fd));

  clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
  pthread_t t[4];
  CHECK_RC(pthread_create(&t[0], NULL, one_shot, &clocks[0]), 0);
  CHECK_RC(pthread_create(&t[1], NULL, one_shot, &clocks[1]), 0);
  CHECK_RC(pthread_create(&t[2], NULL, periodic, NULL), 0);
  CHECK_RC(pthread_create(&t[3], NULL, absolute, NULL), 0);
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  beside_files();
  return check_passed("fd_timerfd");
}

// SPDX-License-Identifier: Apache-2.0
