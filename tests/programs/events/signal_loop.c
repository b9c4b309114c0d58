// A loop of one's own over all that is a descriptor: an eventfd, a timer, signals, a pipe.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "../check.h"

enum { kPosts = 5, kBytes = 16, kNumber = 7 };

typedef struct {
  int fd;
  void (*handle)(int fd);
} Source;

static int loop, bytes_in;
static uint64_t posted, ticks, signalled;
static size_t received;

static void on_post(int fd) {
  uint64_t more;
  CHECK_EQ(read(fd, &more, sizeof more), sizeof more);
  posted += more;
}

static void on_tick(int fd) {
  uint64_t more = 0;
  if (read(fd, &more, sizeof more) < 0) CHECK_EQ(errno, EAGAIN);
  ticks += more;
}

static void on_signal(int fd) {
  struct signalfd_siginfo info;
  while (read(fd, &info, sizeof info) == sizeof info)
    signalled += info.ssi_signo == SIGUSR1 ? 1 : (uint64_t)info.ssi_int;
}

static void on_bytes(int fd) {
  char bytes[kBytes];
  const ssize_t more = read(fd, bytes, sizeof bytes);
  CHECK(more > 0);
  received += (size_t)more;
}

static Source posts = {-1, on_post}, timer = {-1, on_tick}, signals = {-1, on_signal},
              bytes = {-1, on_bytes};

static void add(Source* source, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
  source->fd = fd;
  CHECK_OK(epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event));
}

static void* post(void* unused) {
  const uint64_t one = 1;
  for (int i = 0; i < kPosts; i++) CHECK_EQ(write(posts.fd, &one, sizeof one), sizeof one);
  CHECK_OK(kill(getpid(), SIGUSR1));
  return unused;
}

static void* send_bytes(void* unused) {
  for (int i = 0; i < kBytes / 4; i++) CHECK_EQ(write(bytes_in, "abcd", 4), 4);
  CHECK_OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = kNumber}));
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGRTMIN + 1);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  int ends[2];
  CHECK_OK(pipe(ends));
  bytes_in = ends[1];
  loop = epoll_create1(EPOLL_CLOEXEC);
  add(&posts, eventfd(0, EFD_NONBLOCK));
  add(&timer, timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
  add(&signals, signalfd(-1, &set, SFD_NONBLOCK));
  add(&bytes, ends[0]);
  const struct itimerspec often = {{0, 2000000}, {0, 1000000}};
  CHECK_OK(timerfd_settime(timer.fd, 0, &often, NULL));
  pthread_t threads[2];
  CHECK_RC(pthread_create(&threads[0], NULL, post, NULL), 0);
  CHECK_RC(pthread_create(&threads[1], NULL, send_bytes, NULL), 0);
  while (posted < kPosts || ticks < 2 || signalled < 1 + kNumber || received < kBytes) {
    struct epoll_event events[3];
    const int count = epoll_wait(loop, events, 3, 50);
    CHECK(count >= 0);
    for (int i = 0; i < count; i++) {
      const Source* source = (const Source*)events[i].data.ptr;
      source->handle(source->fd);
    }
  }
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(threads[i], NULL), 0);
  CHECK_EQ(posted, kPosts);
  CHECK_EQ(signalled, 1 + kNumber);
  return check_passed("signal_loop");
}

// SPDX-License-Identifier: Apache-2.0
