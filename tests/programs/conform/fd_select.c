// select and pselect: sets in and out, time-outs, EBADF, a thread woken by another's write.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/select.h>
#include <time.h>

#include "../check.h"

static int a[2], b[2];

static void* writer(void* arg) {
  (void)arg;
  for (int i = 0; i < 20; i++) CHECK_EQ(write(i % 2 ? a[1] : b[1], "x", 1), 1);
  return NULL;
}

int main(void) {
  CHECK_OK(pipe(a));
  CHECK_OK(pipe(b));
  const int top = (a[0] > b[0] ? a[0] : b[0]) + 1;
  fd_set in;
  FD_ZERO(&in);
  FD_SET(a[0], &in);
  FD_SET(b[0], &in);
  struct timeval zero = {0, 0}, little = {0, 3000};
  CHECK_EQ(select(top, &in, NULL, NULL, &zero), 0);
  CHECK(!FD_ISSET(a[0], &in) && !FD_ISSET(b[0], &in));
  FD_SET(a[0], &in);
  struct timespec before, after;
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &before));
  CHECK_EQ(select(top, &in, NULL, NULL, &little), 0);
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &after));
  CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 3000000);

  fd_set out;
  FD_ZERO(&out);
  FD_SET(a[1], &out);
  CHECK_EQ(select(a[1] + 1, NULL, &out, NULL, NULL), 1);
  CHECK(FD_ISSET(a[1], &out));
  FD_ZERO(&in);
  const int gone = dup(a[0]);
  CHECK_OK(close(gone));
  FD_SET(gone, &in);
  CHECK_ERRNO(select(gone + 1, &in, NULL, NULL, &zero), EBADF);
  CHECK_ERRNO(select(-1, NULL, NULL, NULL, &zero), EINVAL);

  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, writer, NULL), 0);
  int got = 0;
  while (got < 20) {
    FD_ZERO(&in);
    FD_SET(a[0], &in);
    FD_SET(b[0], &in);
    struct timespec hour = {3600, 0};
    int n =
        got % 2 ? select(top, &in, NULL, NULL, NULL) : pselect(top, &in, NULL, NULL, &hour, NULL);
    CHECK(n >= 0 && n <= 2);
    char c;
    if (n > 0 && FD_ISSET(a[0], &in)) got += (int)read(a[0], &c, 1);
    if (n > 0 && FD_ISSET(b[0], &in)) got += (int)read(b[0], &c, 1);
  }
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_EQ(got, 20);
  return check_passed("fd_select");
}

// SPDX-License-Identifier: Apache-2.0
