// A loop on epoll with level-triggered, edge-triggered and one-shot members, a timerfd, an eventfd
// and a signalfd: in whatever order the loop hears of them, nothing is lost. Prints the order.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../check.h"

enum { kLevel, kEdge, kOneShot, kPipes, kTimer = kPipes, kEvent, kSignal, kSources };
enum { kBytes = 3 };

static int pipes[kPipes][2], timer, event, signals, set;
static int got[kSources];
static char order[64];
static int count;

static void* writer(void* arg) {
  for (int i = 0; i < kBytes; i++) {
    for (int k = 0; k < kPipes; k++) CHECK_EQ(write(pipes[k][1], "x", 1), 1);
    uint64_t one = 1;
    CHECK_EQ(write(event, &one, sizeof one), sizeof one);
  }
  kill(getpid(), SIGUSR1);
  return arg;
}

static void add(int fd, unsigned events, int source) {
  struct epoll_event e = {.events = events, .data.u32 = (unsigned)source};
  CHECK_OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e));
}

static void take(int source) {
  char byte;
  uint64_t value;
  order[count++] = (char)('0' + source);
  switch (source) {
    case kLevel:
      CHECK_EQ(read(pipes[source][0], &byte, 1), 1);
      got[source]++;
      break;
    case kEdge:  // all there is, until there is no more
      while (read(pipes[source][0], &byte, 1) == 1) got[source]++;
      CHECK_EQ(errno, EAGAIN);
      break;
    case kOneShot: {
      CHECK_EQ(read(pipes[source][0], &byte, 1), 1);
      got[source]++;
      struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = kOneShot};
      CHECK_OK(epoll_ctl(set, EPOLL_CTL_MOD, pipes[source][0], &e));
      break;
    }
    case kTimer:
      CHECK_EQ(read(timer, &value, sizeof value), sizeof value);
      got[source] += (int)value;
      break;
    case kEvent:
      CHECK_EQ(read(event, &value, sizeof value), sizeof value);
      got[source] += (int)value;
      break;
    case kSignal: {
      struct signalfd_siginfo info;
      CHECK_EQ(read(signals, &info, sizeof info), sizeof info);
      CHECK_EQ(info.ssi_signo, SIGUSR1);
      got[source]++;
      break;
    }
  }
}

int main(void) {
  set = epoll_create1(EPOLL_CLOEXEC);
  for (int k = 0; k < kPipes; k++) CHECK_OK(pipe2(pipes[k], O_NONBLOCK));
  add(pipes[kLevel][0], EPOLLIN, kLevel);
  add(pipes[kEdge][0], EPOLLIN | EPOLLET, kEdge);
  add(pipes[kOneShot][0], EPOLLIN | EPOLLONESHOT, kOneShot);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec when = {.it_value = {0, 1000000}, .it_interval = {0, 0}};
  CHECK_OK(timerfd_settime(timer, 0, &when, NULL));
  add(timer, EPOLLIN, kTimer);
  event = eventfd(0, EFD_NONBLOCK);
  add(event, EPOLLIN, kEvent);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &mask, NULL), 0);
  signals = signalfd(-1, &mask, SFD_NONBLOCK);
  add(signals, EPOLLIN, kSignal);
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, writer, NULL), 0);
  while (got[kLevel] < kBytes || got[kEdge] < kBytes || got[kOneShot] < kBytes ||
         got[kTimer] < 1 || got[kEvent] < kBytes || got[kSignal] < 1) {
    struct epoll_event events[kSources];
    const int n = epoll_wait(set, events, kSources, -1);
    CHECK(n > 0);
    for (int i = 0; i < n; i++) take((int)events[i].data.u32);
  }
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_EQ(got[kTimer], 1);
  puts(order);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
