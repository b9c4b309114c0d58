// libraries: event_core
// Timers, sockets, a signal and priorities on libevent: everything arrives, timers in order and never
// early, higher priorities first among what is reported together. Prints the order.
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../check.h"

enum { kSockets = 3, kTimers = 2 };

static struct event_base* base;
static int sockets[kSockets][2];
static char order[32];
static int count, expected_timer;

static void note(char kind) {
  order[count++] = kind;
  if (count == kSockets + kTimers + 1) event_base_loopexit(base, NULL);
}

static void readable(evutil_socket_t fd, short what, void* arg) {
  CHECK(what & EV_READ);
  char byte;
  if (read(fd, &byte, 1) != 1) return;
  note((char)('p' + (int)(long)arg));
}

static void strikes(evutil_socket_t fd, short what, void* arg) {
  (void)fd;
  CHECK(what & EV_TIMEOUT);
  CHECK_EQ((int)(long)arg, expected_timer);
  expected_timer++;
  note((char)('a' + (int)(long)arg));
}

static void signalled(evutil_socket_t fd, short what, void* arg) {
  (void)arg;
  CHECK(what & EV_SIGNAL);
  CHECK_EQ(fd, SIGUSR1);
  note('s');
}

int main(void) {
  base = event_base_new();
  CHECK(base != NULL);
  for (long i = 0; i < kSockets; i++) {
    CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]));
    evutil_make_socket_nonblocking(sockets[i][0]);
    event_add(event_new(base, sockets[i][0], EV_READ | EV_PERSIST, readable, (void*)i), NULL);
    CHECK_EQ(write(sockets[i][1], "x", 1), 1);
  }
  for (long i = 0; i < kTimers; i++) {
    struct timeval when = {.tv_sec = 0, .tv_usec = 10000 * (i + 1)};
    event_add(event_new(base, -1, 0, strikes, (void*)i), &when);
  }
  event_add(event_new(base, SIGUSR1, EV_SIGNAL, signalled, NULL), NULL);
  raise(SIGUSR1);
  CHECK_EQ(event_base_dispatch(base), 0);
  CHECK_EQ(count, kSockets + kTimers + 1);
  puts(order);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
