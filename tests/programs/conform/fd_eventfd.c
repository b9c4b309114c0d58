// eventfd: counter and semaphore mode, blocking read and (when full) write, EAGAIN, EINVAL; several
// threads.
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 10 };

static int fd;

static void* take(void* arg) {
  for (int i = 0; i < kRounds; i++) {
    uint64_t v = 0;
    CHECK_EQ(read(fd, &v, sizeof v), sizeof v);
    CHECK_EQ(v, 1);
  }
  return arg;
}

static void* drain(void* arg) {
  uint64_t v = 0;
  CHECK_EQ(read(*(int*)arg, &v, sizeof v), sizeof v);
  CHECK(v == UINT64_MAX - 1);
  return NULL;
}

int main(void) {
  uint64_t v;
  fd = eventfd(3, EFD_NONBLOCK);
  CHECK(fd >= 0);
  CHECK_EQ(read(fd, &v, sizeof v), sizeof v);
  CHECK_EQ(v, 3);
  CHECK_ERRNO(read(fd, &v, sizeof v), EAGAIN);
  CHECK_OK(eventfd_write(fd, 4));
  CHECK_OK(eventfd_write(fd, 5));
  eventfd_t e;
  CHECK_OK(eventfd_read(fd, &e));
  CHECK_EQ(e, 9);
  CHECK_ERRNO(read(fd, &v, 4), EINVAL);
  v = UINT64_MAX;
  CHECK_ERRNO(write(fd, &v, sizeof v), EINVAL);
  v = UINT64_MAX - 1;
  CHECK_EQ(write(fd, &v, sizeof v), sizeof v);
  v = 1;
  CHECK_ERRNO(write(fd, &v, sizeof v), EAGAIN);
  struct pollfd p = {fd, POLLIN | POLLOUT, 0};
  CHECK_EQ(poll(&p, 1, 0), 1);
  CHECK_EQ(p.revents, POLLIN);
  CHECK_OK(close(fd));

  fd = eventfd(0, EFD_SEMAPHORE);
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, take, NULL), 0);
  for (int i = 0; i < kThreads * kRounds / 2; i++) CHECK_OK(eventfd_write(fd, 2));
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  p = (struct pollfd){fd, POLLIN, 0};
  CHECK_EQ(poll(&p, 1, 0), 0);
  CHECK_OK(close(fd));

  // A full counter blocks the writer until somebody reads.
  fd = eventfd(0, 0);
  CHECK_OK(eventfd_write(fd, UINT64_MAX - 1));
  CHECK_RC(pthread_create(&t[0], NULL, drain, &fd), 0);
  CHECK_OK(eventfd_write(fd, 6));
  CHECK_RC(pthread_join(t[0], NULL), 0);
  CHECK_OK(eventfd_read(fd, &e));
  CHECK_EQ(e, 6);
  CHECK_OK(close(fd));
  return check_passed("fd_eventfd");
}

// SPDX-License-Identifier: Apache-2.0
