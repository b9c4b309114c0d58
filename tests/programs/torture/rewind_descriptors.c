// Descriptors of all kinds, left open, moved, closed, replaced; flags of inherited ones.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "pristine.h"

static int ends[2], events, sockets[2];
static int flags_before, descriptor_flags_before;
static int open_before[40];

__attribute__((constructor)) static void before_main(void) {
  descriptor_flags_before = fcntl(0, F_GETFD);
  flags_before = fcntl(0, F_GETFL);
  for (int fd = 3; fd < 40; fd++) open_before[fd] = fcntl(fd, F_GETFD);
}

static void* worker(void* number) {
  char byte = 'a';
  unsigned long long one = 1;
  if (number) {
    MUST(write(ends[1], &byte, 1) == 1);
    MUST(write(events, &one, 8) == 8);
    MUST(send(sockets[1], "hello", 5, 0) == 5);
  } else {
    char text[8];
    MUST(read(ends[0], &byte, 1) == 1);
    MUST(read(events, &one, 8) == 8);
    MUST(recv(sockets[0], text, sizeof text, 0) == 5);
  }
  return NULL;
}

int main(void) {
  for (int fd = 3; fd < 40; fd++) PRISTINE(fcntl(fd, F_GETFD) == open_before[fd]);
  PRISTINE(fcntl(0, F_GETFD) == descriptor_flags_before && fcntl(0, F_GETFL) == flags_before);
  PRISTINE(fcntl(1, F_GETFD) == 0 && fcntl(2, F_GETFD) == 0);
  MUST(pipe(ends) == 0);
  events = eventfd(0, 0);
  MUST(events > 2);
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  in_threads(2, worker);
  const int poll_set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = 7}};
  MUST(epoll_ctl(poll_set, EPOLL_CTL_ADD, events, &event) == 0);
  MUST(epoll_wait(poll_set, &event, 1, 0) == 0);
  MUST(memfd_create("left", 0) > 0);
  MUST(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) > 0);
  MUST(open(".", O_RDONLY | O_DIRECTORY) > 0);
  MUST(dup2(ends[0], 30) == 30);
  MUST(fcntl(1, F_SETFD, FD_CLOEXEC) == 0);
  MUST(fcntl(0, F_SETFL, flags_before | O_NONBLOCK) == 0);
  MUST(dup2(ends[1], 1) == 1);
  MUST(close(0) == 0);
  MUST(open("/dev/zero", O_RDONLY) == 0);
  MUST(close(2) == 0);
  MUST(close(ends[0]) == 0);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
