// The same with poll and select: a loop hears of some of what is ready, and of the rest later.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

#include "../check.h"

enum { kPipes = 3, kBytes = 2 };

static int pipes[kPipes][2];
static char order[64];
static int count;

static void* writer(void* arg) {
  for (int i = 0; i < kBytes; i++) {
    for (int k = 0; k < kPipes; k++) CHECK_EQ(write(pipes[k][1], "x", 1), 1);
  }
  return arg;
}

static int take(int k) {
  char byte;
  CHECK_EQ(read(pipes[k][0], &byte, 1), 1);
  order[count++] = (char)('0' + k);
  return 1;
}

static void loop_with_poll(void) {
  for (int left = kPipes * kBytes; left > 0;) {
    struct pollfd p[kPipes];
    for (int k = 0; k < kPipes; k++) p[k] = (struct pollfd){pipes[k][0], POLLIN, 0};
    const int n = poll(p, kPipes, -1);
    CHECK(n > 0);
    int found = 0;
    for (int k = 0; k < kPipes; k++) {
      if (!p[k].revents) continue;
      found++;
      left -= take(k);
    }
    CHECK_EQ(found, n);
  }
}

static void loop_with_select(void) {
  for (int left = kPipes * kBytes; left > 0;) {
    fd_set set;
    FD_ZERO(&set);
    int highest = 0;
    for (int k = 0; k < kPipes; k++) {
      FD_SET(pipes[k][0], &set);
      if (pipes[k][0] > highest) highest = pipes[k][0];
    }
    struct timeval time = {.tv_sec = 1, .tv_usec = 0};
    const int n = select(highest + 1, &set, NULL, NULL, &time);
    CHECK(n >= 0);
    int found = 0;
    for (int k = 0; k < kPipes; k++) {
      if (!FD_ISSET(pipes[k][0], &set)) continue;
      found++;
      left -= take(k);
    }
    CHECK_EQ(found, n);
  }
}

int main(void) {
  for (int k = 0; k < kPipes; k++) CHECK_OK(pipe(pipes[k]));
  pthread_t t[2];
  CHECK_RC(pthread_create(&t[0], NULL, writer, NULL), 0);
  loop_with_poll();
  order[count++] = ' ';
  CHECK_RC(pthread_create(&t[1], NULL, writer, NULL), 0);
  loop_with_select();
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  // Straight-line code is told all there is.
  for (int k = 0; k < kPipes; k++) CHECK_EQ(write(pipes[k][1], "x", 1), 1);
  struct pollfd p[kPipes];
  for (int k = 0; k < kPipes; k++) p[k] = (struct pollfd){pipes[k][0], POLLIN, 0};
  CHECK_EQ(poll(p, kPipes, 0), kPipes);
  puts(order);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
