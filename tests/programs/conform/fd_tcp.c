// A TCP server on the loopback with several client threads: bind to port 0, accept, connect, echo,
// orderly end.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

#include "../check.h"

enum { kClients = 4, kMessages = 10 };

static int listener;
static struct sockaddr_in address;

static void read_all(int fd, void* to, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t k = read(fd, (char*)to + done, n - done);
    CHECK(k > 0);
    done += (size_t)k;
  }
}

static void* serve_one(void* arg) {
  int fd = (int)(intptr_t)arg;
  char c;
  ssize_t n;
  int total = 0;
  while ((n = recv(fd, &c, 1, 0)) == 1) {
    c = (char)(c + 1);
    CHECK_EQ(send(fd, &c, 1, MSG_NOSIGNAL), 1);
    total++;
  }
  CHECK_EQ(n, 0);
  CHECK_OK(close(fd));
  return (void*)(intptr_t)total;
}

static void* acceptor(void* arg) {
  (void)arg;
  pthread_t t[kClients];
  for (int i = 0; i < kClients; i++) {
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    int fd = i % 2 ? accept(listener, (struct sockaddr*)&peer, &size)
                   : accept4(listener, (struct sockaddr*)&peer, &size, SOCK_CLOEXEC);
    CHECK(fd >= 0);
    CHECK_EQ(ntohl(peer.sin_addr.s_addr), INADDR_LOOPBACK);
    CHECK_RC(pthread_create(&t[i], NULL, serve_one, (void*)(intptr_t)fd), 0);
  }
  for (int i = 0; i < kClients; i++) {
    void* total = NULL;
    CHECK_RC(pthread_join(t[i], &total), 0);
    CHECK_EQ((intptr_t)total, kMessages);
  }
  return NULL;
}

static void* client(void* arg) {
  (void)arg;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(fd >= 0);
  CHECK_OK(connect(fd, (struct sockaddr*)&address, sizeof address));
  int one = 1;
  CHECK_OK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one));
  struct sockaddr_in peer;
  socklen_t size = sizeof peer;
  CHECK_OK(getpeername(fd, (struct sockaddr*)&peer, &size));
  CHECK_EQ(peer.sin_port, address.sin_port);
  for (int i = 0; i < kMessages; i++) {
    char c = (char)('a' + i);
    CHECK_EQ(write(fd, &c, 1), 1);
    read_all(fd, &c, 1);
    CHECK_EQ(c, 'b' + i);
  }
  CHECK_OK(shutdown(fd, SHUT_WR));
  char end;
  CHECK_EQ(read(fd, &end, 1), 0);
  CHECK_OK(close(fd));
  return NULL;
}

int main(void) {
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(listener >= 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = 0;
  CHECK_OK(bind(listener, (struct sockaddr*)&address, sizeof address));
  CHECK_OK(listen(listener, 8));
  socklen_t size = sizeof address;
  CHECK_OK(getsockname(listener, (struct sockaddr*)&address, &size));
  CHECK(address.sin_port != 0);

  pthread_t server, clients[kClients];
  CHECK_RC(pthread_create(&server, NULL, acceptor, NULL), 0);
  for (int i = 0; i < kClients; i++) CHECK_RC(pthread_create(&clients[i], NULL, client, NULL), 0);
  for (int i = 0; i < kClients; i++) CHECK_RC(pthread_join(clients[i], NULL), 0);
  CHECK_RC(pthread_join(server, NULL), 0);
  CHECK_OK(close(listener));

  int fd = socket(AF_INET, SOCK_STREAM, 0);  // nobody listens there any more
  CHECK_ERRNO(connect(fd, (struct sockaddr*)&address, sizeof address), ECONNREFUSED);
  CHECK_OK(close(fd));
  return check_passed("fd_tcp");
}

// SPDX-License-Identifier: Apache-2.0
