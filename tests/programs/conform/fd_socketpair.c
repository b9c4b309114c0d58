// Socket pairs: stream and datagram, send and recv with flags, sendmsg and recvmsg with control
// data, shutdown, time-outs.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "../check.h"

static int stream[2], datagram[2];

static void* echo(void* arg) {
  (void)arg;
  char buffer[64];
  ssize_t n;
  while ((n = recv(stream[1], buffer, sizeof buffer, 0)) > 0) {
    for (ssize_t sent = 0; sent < n;) {
      ssize_t k = send(stream[1], buffer + sent, (size_t)(n - sent), MSG_NOSIGNAL);
      CHECK(k > 0);
      sent += k;
    }
  }
  CHECK_EQ(n, 0);
  CHECK_OK(shutdown(stream[1], SHUT_WR));
  return NULL;
}

static void* receive_messages(void* arg) {
  (void)arg;
  char buffer[64];
  for (int i = 1; i <= 10; i++) {  // boundaries are kept
    CHECK_EQ(recv(datagram[1], buffer, sizeof buffer, 0), i);
    for (int k = 0; k < i; k++) CHECK_EQ(buffer[k], 'a' + i);
  }
  return NULL;
}

static void* receive_descriptor(void* arg) {
  int* got = arg;
  char byte, control[CMSG_SPACE(sizeof(int))];
  struct iovec v = {&byte, 1};
  struct msghdr m = {
      .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  CHECK_EQ(recvmsg(datagram[1], &m, 0), 1);
  struct cmsghdr* c = CMSG_FIRSTHDR(&m);
  CHECK(c && c->cmsg_type == SCM_RIGHTS);
  memcpy(got, CMSG_DATA(c), sizeof *got);
  return NULL;
}

int main(void) {
  pthread_t t;
  char buffer[64];
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, stream));
  CHECK_OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagram));

  CHECK_RC(pthread_create(&t, NULL, echo, NULL), 0);
  for (int i = 0; i < 30; i++) {
    CHECK_EQ(send(stream[0], "0123456789", 10, 0), 10);
    CHECK_EQ(recv(stream[0], buffer, 10, MSG_WAITALL), 10);
    CHECK_EQ(memcmp(buffer, "0123456789", 10), 0);
  }
  CHECK_EQ(send(stream[0], "peek", 4, 0), 4);
  CHECK(recv(stream[0], buffer, 4, MSG_PEEK) > 0);
  CHECK_EQ(buffer[0], 'p');
  CHECK_EQ(recv(stream[0], buffer, 4, MSG_WAITALL), 4);
  CHECK_OK(shutdown(stream[0], SHUT_WR));
  CHECK_EQ(recv(stream[0], buffer, 1, 0), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_ERRNO(send(stream[0], "x", 1, MSG_NOSIGNAL), EPIPE);

  CHECK_ERRNO(recv(datagram[0], buffer, 1, MSG_DONTWAIT), EAGAIN);
  CHECK_RC(pthread_create(&t, NULL, receive_messages, NULL), 0);
  for (int i = 1; i <= 10; i++) {
    memset(buffer, 'a' + i, sizeof buffer);
    CHECK_EQ(sendto(datagram[0], buffer, (size_t)i, 0, NULL, 0), i);
  }
  CHECK_RC(pthread_join(t, NULL), 0);

  // A descriptor travels.
  int pipe_ends[2], received = -1;
  CHECK_OK(pipe(pipe_ends));
  CHECK_RC(pthread_create(&t, NULL, receive_descriptor, &received), 0);
  char byte = 'd', control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec v = {&byte, 1};
  struct msghdr m = {
      .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr* c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(c), &pipe_ends[1], sizeof(int));
  CHECK_EQ(sendmsg(datagram[0], &m, 0), 1);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK(received >= 0 && received != pipe_ends[1]);
  CHECK_EQ(write(received, "through", 7), 7);
  CHECK_EQ(read(pipe_ends[0], buffer, sizeof buffer), 7);

  // A receive time-out of the socket itself.
  struct timeval tv = {0, 3000};
  CHECK_OK(setsockopt(datagram[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
  CHECK_ERRNO(recv(datagram[0], buffer, 1, 0), EAGAIN);
  return check_passed("fd_socketpair");
}

// SPDX-License-Identifier: Apache-2.0
