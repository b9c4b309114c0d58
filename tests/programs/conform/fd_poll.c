// poll and ppoll: readiness of several descriptors, time-outs, hang-up, invalid descriptors,
// wake-up from another thread.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <time.h>

#include "../check.h"

enum { kPipes = 3, kBytes = 20 };

static int pipes[kPipes][2];

static void* writer(void* arg) {
  int k = *(int*)arg;
  for (int i = 0; i < kBytes; i++) CHECK_EQ(write(pipes[k][1], "x", 1), 1);
  CHECK_OK(close(pipes[k][1]));
  return NULL;
}

int main(void) {
  struct pollfd p[kPipes];
  for (int k = 0; k < kPipes; k++) {
    CHECK_OK(pipe(pipes[k]));
    p[k] = (struct pollfd){pipes[k][0], POLLIN, 0};
  }
  CHECK_EQ(poll(p, kPipes, 0), 0);
  struct timespec before, after, little = {0, 3000000};
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &before));
  CHECK_EQ(poll(p, kPipes, 3), 0);
  CHECK_EQ(ppoll(p, kPipes, &little, NULL), 0);
  CHECK_OK(clock_gettime(CLOCK_MONOTONIC, &after));
  CHECK((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 6000000);

  struct pollfd out = {pipes[0][1], POLLOUT | POLLIN, 0};
  CHECK_EQ(poll(&out, 1, -1), 1);
  CHECK_EQ(out.revents, POLLOUT);
  struct pollfd odd[2] = {{-1, POLLIN, 99}, {9999, POLLIN, 0}};
  CHECK_EQ(poll(odd, 2, -1), 1);
  CHECK_EQ(odd[0].revents, 0);
  CHECK_EQ(odd[1].revents, POLLNVAL);

  pthread_t t[kPipes];
  int ids[kPipes];
  for (int k = 0; k < kPipes; k++) {
    ids[k] = k;
    CHECK_RC(pthread_create(&t[k], NULL, writer, &ids[k]), 0);
  }
  int got[kPipes] = {0}, open_pipes = kPipes;
  while (open_pipes > 0) {
    int n = poll(p, kPipes, 1000 * 3600);
    CHECK(n >= 0);  // 0: the time-out came first
    int counted = 0;
    for (int k = 0; k < kPipes; k++) {
      if (!p[k].revents) continue;
      counted++;
      CHECK((p[k].revents & ~(POLLIN | POLLHUP)) == 0);
      char buffer[4];
      ssize_t r = read(pipes[k][0], buffer, sizeof buffer);
      CHECK(r >= 0);
      if (r == 0) {
        CHECK(p[k].revents & POLLHUP);
        p[k].fd = -1;
        open_pipes--;
      }
      got[k] += (int)r;
    }
    CHECK_EQ(counted, n);
  }
  for (int k = 0; k < kPipes; k++) {
    CHECK_EQ(got[k], kBytes);
    CHECK_RC(pthread_join(t[k], NULL), 0);
  }
  int q[2];
  CHECK_OK(pipe(q));
  CHECK_OK(close(q[0]));
  struct pollfd broken = {q[1], POLLOUT, 0};
  CHECK_EQ(poll(&broken, 1, 0), 1);
  CHECK(broken.revents & POLLERR);
  return check_passed("fd_poll");
}

// SPDX-License-Identifier: Apache-2.0
