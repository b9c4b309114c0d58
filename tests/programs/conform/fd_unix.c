// Unix sockets by abstract name: stream and datagram servers, connect before accept, large
// transfers both ways.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../check.h"

enum { kBytes = 300000 };  // more than a socket holds

static int listener;
static struct sockaddr_un address;
static socklen_t address_size;

static void transfer(int fd, int sends_first) {
  char* data = malloc(kBytes);
  CHECK(data);
  for (int round = 0; round < 2; round++) {
    if ((round == 0) == sends_first) {
      memset(data, 'm', kBytes);
      for (long done = 0; done < kBytes;) {
        ssize_t n = write(fd, data + done, (size_t)(kBytes - done));
        CHECK(n > 0);
        done += n;
      }
    } else {
      for (long done = 0; done < kBytes;) {
        ssize_t n = read(fd, data + done, (size_t)(kBytes - done));
        CHECK(n > 0);
        done += n;
      }
      CHECK_EQ(data[0], 'm');
      CHECK_EQ(memcmp(data, data + 1, kBytes - 1), 0);
    }
  }
  free(data);
}

static void* server(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; i++) {
    int fd = accept(listener, NULL, NULL);
    CHECK(fd >= 0);
    transfer(fd, 0);
    CHECK_OK(close(fd));
  }
  return NULL;
}

static void* client(void* arg) {
  (void)arg;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_OK(connect(fd, (struct sockaddr*)&address, address_size));
  transfer(fd, 1);
  CHECK_OK(close(fd));
  return NULL;
}

int main(void) {
  address.sun_family = AF_UNIX;
  int n =
      snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "check-unix-%d", (int)getpid());
  address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_OK(bind(listener, (struct sockaddr*)&address, address_size));
  CHECK_OK(listen(listener, 5));
  pthread_t s, c[3];
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&c[i], NULL, client, NULL), 0);
  CHECK_RC(pthread_create(&s, NULL, server, NULL), 0);
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(c[i], NULL), 0);
  CHECK_RC(pthread_join(s, NULL), 0);
  CHECK_OK(close(listener));

  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_ERRNO(connect(fd, (struct sockaddr*)&address, address_size), ECONNREFUSED);
  CHECK_OK(close(fd));
  return check_passed("fd_unix");
}

// SPDX-License-Identifier: Apache-2.0
