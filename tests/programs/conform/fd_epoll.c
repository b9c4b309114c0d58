// epoll: level, edge and one-shot triggering, time-outs, errors, several waiting threads, data and
// modification.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>

#include "../check.h"

static int ep, p[2];

static void control(int op, int fd, unsigned events, int tag) {
  struct epoll_event e = {.events = events, .data.u32 = (unsigned)tag};
  CHECK_OK(epoll_ctl(ep, op, fd, &e));
}

static void* write_one(void* arg) {
  CHECK_EQ(write(*(int*)arg, "x", 1), 1);
  return NULL;
}

static void* take_one(void* arg) {
  // EPOLLONESHOT: exactly one thread gets each event; it re-arms for the next.
  struct epoll_event e;
  int n;
  while ((n = epoll_wait(ep, &e, 1, 100000)) == 0) continue;
  CHECK_EQ(n, 1);
  char c;
  CHECK_EQ(read(p[0], &c, 1), 1);
  control(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLONESHOT, 7);
  return arg;
}

int main(void) {
  struct epoll_event e[4];
  char buffer[10];
  pthread_t t[3];
  ep = epoll_create1(EPOLL_CLOEXEC);
  CHECK(ep >= 0);
  CHECK_OK(pipe(p));

  CHECK_ERRNO(epoll_wait(ep, e, 0, 0), EINVAL);
  CHECK_ERRNO(epoll_wait(p[0], e, 1, 0), EINVAL);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);
  struct timespec before, after;
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &before));
  CHECK_EQ(epoll_wait(ep, e, 4, 3), 0);
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &after));
  CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 3000000);

  // Level: reported as long as data is there.
  control(EPOLL_CTL_ADD, p[0], EPOLLIN, 5);
  struct epoll_event again = {.events = EPOLLIN};
  CHECK_ERRNO(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &again), EEXIST);
  CHECK_ERRNO(epoll_ctl(ep, EPOLL_CTL_MOD, p[1], &again), ENOENT);
  CHECK_ERRNO(epoll_ctl(ep, EPOLL_CTL_ADD, 9999, &again), EBADF);
  CHECK_RC(pthread_create(&t[0], NULL, write_one, &p[1]), 0);
  CHECK_EQ(epoll_wait(ep, e, 4, -1), 1);
  CHECK_EQ(e[0].data.u32, 5);
  CHECK_EQ(e[0].events, EPOLLIN);
  CHECK_EQ(epoll_wait(ep, e, 4, -1), 1);
  CHECK_RC(pthread_join(t[0], NULL), 0);
  CHECK_EQ(read(p[0], buffer, sizeof buffer), 1);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);

  // Edge: once per arrival.
  control(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLET, 6);
  CHECK_EQ(write(p[1], "ab", 2), 2);
  CHECK_EQ(epoll_wait(ep, e, 4, -1), 1);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);
  CHECK_EQ(write(p[1], "c", 1), 1);
  CHECK_EQ(epoll_pwait(ep, e, 4, -1, NULL), 1);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);
  CHECK_EQ(read(p[0], buffer, sizeof buffer), 3);

  // One shot, shared by threads.
  control(EPOLL_CTL_MOD, p[0], EPOLLIN | EPOLLONESHOT, 7);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&t[i], NULL, take_one, NULL), 0);
  for (int i = 0; i < 3; i++) CHECK_EQ(write(p[1], "x", 1), 1);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);
  CHECK_EQ(write(p[1], "x", 1), 1);
  CHECK_EQ(epoll_wait(ep, e, 4, -1), 1);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);  // disarmed

  // Hang-up is always reported; a removed descriptor never.
  CHECK_OK(close(p[1]));
  control(EPOLL_CTL_MOD, p[0], 0, 8);
  CHECK_EQ(epoll_wait(ep, e, 4, -1), 1);
  CHECK(e[0].events & EPOLLHUP);
  CHECK_OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL));
  CHECK_ERRNO(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL), ENOENT);
  CHECK_EQ(epoll_wait(ep, e, 4, 0), 0);
  CHECK_OK(close(p[0]));
  CHECK_OK(close(ep));
  return check_passed("fd_epoll");
}

// SPDX-License-Identifier: Apache-2.0
