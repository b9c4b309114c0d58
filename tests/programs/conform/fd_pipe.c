// Pipes between threads: a read blocks its own thread only until data comes, end of file, EPIPE,
// EBADF, partial reads.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "../check.h"

enum { kMessages = 50 };

static int request[2], answer[2];

static void* server(void* arg) {
  (void)arg;
  int n;
  ssize_t got;
  while ((got = read(request[0], &n, sizeof n)) == sizeof n) {
    n *= 2;
    CHECK_EQ(write(answer[1], &n, sizeof n), sizeof n);
  }
  CHECK_EQ(got, 0);  // all writers gone
  CHECK_OK(close(answer[1]));
  return NULL;
}

static void* one_byte(void* arg) {
  char c;
  CHECK_EQ(read(*(int*)arg, &c, 1), 1);
  return NULL;
}

int main(void) {
  CHECK_OK(pipe(request));
  CHECK_OK(pipe2(answer, O_CLOEXEC));
  pthread_t t, more[4];
  CHECK_RC(pthread_create(&t, NULL, server, NULL), 0);
  for (int i = 0; i < kMessages; i++) {
    int n = i;
    CHECK_EQ(write(request[1], &n, sizeof n), sizeof n);
    CHECK_EQ(read(answer[0], &n, sizeof n), sizeof n);
    CHECK_EQ(n, 2 * i);
  }
  CHECK_OK(close(request[1]));
  char rest;
  CHECK_EQ(read(answer[0], &rest, 1), 0);
  CHECK_RC(pthread_join(t, NULL), 0);

  // A reader that is gone: EPIPE (with SIGPIPE ignored).
  CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  int p[2];
  CHECK_OK(pipe(p));
  CHECK_OK(close(p[0]));
  CHECK_ERRNO(write(p[1], "x", 1), EPIPE);
  CHECK_OK(close(p[1]));
  CHECK_ERRNO(read(p[0], &rest, 1), EBADF);
  CHECK_ERRNO(write(p[1], "x", 1), EBADF);

  // Several readers of one pipe: as many wake as there are bytes.
  CHECK_OK(pipe(p));
  CHECK_ERRNO(write(p[0], "x", 1), EBADF);
  CHECK_ERRNO(read(p[1], &rest, 1), EBADF);
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_create(&more[i], NULL, one_byte, &p[0]), 0);
  CHECK_EQ(write(p[1], "abcd", 4), 4);
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_join(more[i], NULL), 0);

  // A short read takes what is there; FIONREAD counts; a duplicate keeps the pipe open.
  char buffer[100];
  CHECK_EQ(write(p[1], "hello", 5), 5);
  int available = -1;
  CHECK_OK(ioctl(p[0], FIONREAD, &available));
  CHECK_EQ(available, 5);
  CHECK_EQ(read(p[0], buffer, 2), 2);
  CHECK_EQ(read(p[0], buffer, sizeof buffer), 3);
  int copy = dup(p[1]);
  CHECK(copy >= 0);
  CHECK_OK(close(p[1]));
  CHECK_EQ(write(copy, "z", 1), 1);
  CHECK_EQ(read(p[0], buffer, sizeof buffer), 1);
  CHECK_OK(close(copy));
  CHECK_EQ(read(p[0], buffer, sizeof buffer), 0);
  CHECK_EQ(read(p[0], buffer, 0), 0);
  CHECK_OK(close(p[0]));
  return check_passed("fd_pipe");
}

// SPDX-License-Identifier: Apache-2.0
