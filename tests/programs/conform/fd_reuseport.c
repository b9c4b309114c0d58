// Two sockets listen on one port, a thread each. Which of them gets a connection is the kernel's
// choice: no schedule decides it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "../check.h"

enum { kConnections = 4 };

static int listening(struct sockaddr_in* address) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int one = 1;
  socklen_t size = sizeof *address;
  CHECK_OK(fd);
  CHECK_OK(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one));
  CHECK_OK(bind(fd, (struct sockaddr*)address, size));
  CHECK_OK(listen(fd, kConnections));
  CHECK_OK(getsockname(fd, (struct sockaddr*)address, &size));
  return fd;
}

static void* serves(void* listener) {
  int fd;
  while ((fd = accept(*(int*)listener, NULL, NULL)) >= 0) {
    char byte;
    CHECK_EQ(recv(fd, &byte, 1, 0), 1);
    CHECK_EQ(send(fd, &byte, 1, 0), 1);
    CHECK_OK(close(fd));
  }
  return NULL;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int listeners[2];
  pthread_t servers[2];
  for (int i = 0; i < 2; i++) listeners[i] = listening(&address);
  for (int i = 0; i < 2; i++) {
    CHECK_RC(pthread_create(&servers[i], NULL, serves, &listeners[i]), 0);
  }
  for (int i = 0; i < kConnections; i++) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    char byte = (char)('a' + i);
    CHECK_OK(connect(fd, (struct sockaddr*)&address, sizeof address));
    CHECK_EQ(send(fd, &byte, 1, 0), 1);
    CHECK_EQ(recv(fd, &byte, 1, 0), 1);
    CHECK_EQ(byte, 'a' + i);
    CHECK_OK(close(fd));
  }
  for (int i = 0; i < 2; i++) CHECK_OK(shutdown(listeners[i], SHUT_RDWR));
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(servers[i], NULL), 0);
  return check_passed("fd_reuseport");
}

// SPDX-License-Identifier: Apache-2.0
