// lockf waits until another process gives its range back, while other threads go on; without
// waiting it fails.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../check.h"

static int fd;
static int from_child[2], to_child[2];

static void* lets_child_end(void* arg) {
  CHECK(write(to_child[1], "e", 1) == 1);
  return arg;
}

static void child(void) {
  char byte;
  CHECK_OK(lockf(fd, F_LOCK, 10));
  CHECK(write(from_child[1], "h", 1) == 1);
  CHECK(read(to_child[0], &byte, 1) == 1);
  CHECK_OK(lockf(fd, F_ULOCK, 10));
  CHECK(read(to_child[0], &byte, 1) == 1);
  _exit(0);
}

int main(void) {
  char name[] = "/tmp/fd_lockf_XXXXXX", byte;
  fd = mkstemp(name);
  CHECK(fd >= 0);
  CHECK_OK(unlink(name));
  CHECK_OK(pipe(from_child));
  CHECK_OK(pipe(to_child));
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) child();
  CHECK(read(from_child[0], &byte, 1) == 1);
  errno = 0;
  CHECK(lockf(fd, F_TLOCK, 10) == -1 && (errno == EACCES || errno == EAGAIN));
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, NULL, lets_child_end, NULL), 0);
  CHECK_OK(lockf(fd, F_LOCK, 10));
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_OK(lockf(fd, F_TEST, 10));
  CHECK_OK(lockf(fd, F_ULOCK, 10));
  CHECK(write(to_child[1], "e", 1) == 1);
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK_EQ(status, 0);
  return check_passed("fd_lockf");
}

// SPDX-License-Identifier: Apache-2.0
