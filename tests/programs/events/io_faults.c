// Copies through non-blocking sockets and a pipe, with every return value looked at: right also
// when transfers are short or have to be tried again. With -DNAIVE, which io_faults_naive.c
// sets, it believes that a message comes in one piece.
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../check.h"

static const char message[] = "the whole message";

#ifdef NAIVE
static void receive(int fd, char* to) {
  struct pollfd p = {fd, POLLIN, 0};
  CHECK_EQ(poll(&p, 1, -1), 1);
  ssize_t n;
  while ((n = read(fd, to, sizeof message)) < 0) CHECK_EQ(errno, EAGAIN);
  CHECK_EQ(n, sizeof message);
}
#else
static void receive(int fd, char* to) {
  for (size_t got = 0; got < sizeof message;) {
    struct pollfd p = {fd, POLLIN, 0};
    CHECK_EQ(poll(&p, 1, -1), 1);
    const ssize_t n = read(fd, to + got, sizeof message - got);
    if (n < 0) {
      CHECK_EQ(errno, EAGAIN);
    } else {
      got += (size_t)n;
    }
  }
}
#endif

static void send_all(int fd) {
  for (size_t sent = 0; sent < sizeof message;) {
    const ssize_t n = write(fd, message + sent, sizeof message - sent);
    if (n < 0) {
      CHECK_EQ(errno, EAGAIN);
    } else {
      sent += (size_t)n;
    }
  }
}

int main(void) {
  int pair[2];
  char text[sizeof message];
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
  send_all(pair[0]);
  receive(pair[1], text);
  CHECK(memcmp(text, message, sizeof message) == 0);
  return check_passed("io_faults");
}

// SPDX-License-Identifier: Apache-2.0
