// Non-blocking descriptors: EAGAIN and EINPROGRESS instead of waiting, switched on and off by fcntl
// and ioctl.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../check.h"

static int p[2];

static void* spin_reader(void* arg) {
  (void)arg;
  char c;
  ssize_t n;
  while ((n = read(p[0], &c, 1)) < 0) {
    CHECK_EQ(errno, EAGAIN);
    sched_yield();
  }
  CHECK_EQ(n, 1);
  CHECK_EQ(c, 'n');
  return NULL;
}

int main(void) {
  char c, block[4096] = {0};
  CHECK_OK(pipe2(p, O_NONBLOCK));
  CHECK(fcntl(p[0], F_GETFL) & O_NONBLOCK);
  CHECK_ERRNO(read(p[0], &c, 1), EAGAIN);
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, spin_reader, NULL), 0);
  CHECK_EQ(write(p[1], "n", 1), 1);
  CHECK_RC(pthread_join(t, NULL), 0);

  long room = 0;
  ssize_t n;
  while ((n = write(p[1], block, sizeof block)) > 0) room += n;
  CHECK_EQ(n, -1);
  CHECK_EQ(errno, EAGAIN);
  CHECK(room >= 4096);
  CHECK_EQ(fcntl(p[1], F_GETPIPE_SZ), room);
  while (room > 0) {
    n = read(p[0], block, sizeof block);
    CHECK(n > 0);
    room -= n;
  }
  CHECK_ERRNO(read(p[0], &c, 1), EAGAIN);
  // Back to blocking.
  CHECK_OK(fcntl(p[0], F_SETFL, fcntl(p[0], F_GETFL) & ~O_NONBLOCK));
  CHECK_EQ(write(p[1], "b", 1), 1);
  CHECK_EQ(read(p[0], &c, 1), 1);
  int on = 1;
  CHECK_OK(ioctl(p[0], FIONBIO, &on));
  CHECK_ERRNO(read(p[0], &c, 1), EAGAIN);
  CHECK_OK(close(p[1]));
  CHECK_EQ(read(p[0], &c, 1), 0);
  CHECK_OK(close(p[0]));

  int pair[2];
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
  CHECK_ERRNO(recv(pair[0], &c, 1, 0), EAGAIN);
  while (send(pair[0], block, sizeof block, MSG_NOSIGNAL) > 0) continue;
  CHECK_EQ(errno, EAGAIN);

  // A non-blocking connect and accept over the loopback.
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  CHECK_OK(bind(listener, (struct sockaddr*)&address, sizeof address));
  CHECK_OK(listen(listener, 1));
  CHECK_ERRNO(accept(listener, NULL, NULL), EAGAIN);
  socklen_t size = sizeof address;
  CHECK_OK(getsockname(listener, (struct sockaddr*)&address, &size));
  int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int rc = connect(client, (struct sockaddr*)&address, sizeof address);
  CHECK(rc == 0 || errno == EINPROGRESS);
  struct pollfd out = {client, POLLOUT, 0}, in = {listener, POLLIN, 0};
  CHECK_EQ(poll(&out, 1, -1), 1);
  int error = -1;
  size = sizeof error;
  CHECK_OK(getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size));
  CHECK_EQ(error, 0);
  CHECK_EQ(poll(&in, 1, -1), 1);
  int served = accept(listener, NULL, NULL);
  CHECK(served >= 0);
  CHECK_EQ(write(client, "k", 1), 1);
  CHECK_EQ(read(served, &c, 1), 1);
  CHECK_EQ(c, 'k');
  return check_passed("fd_nonblock");
}

// SPDX-License-Identifier: Apache-2.0
