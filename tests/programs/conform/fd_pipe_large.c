// Writes larger than a pipe's buffer block until the reader in another thread has taken enough;
// order and content stay.
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "../check.h"

enum { kBlock = 1000, kBlocks = 300, kSize = kBlock * kBlocks };  // a pipe holds 65536 bytes

static int p[2];

static void* writer(void* arg) {
  (void)arg;
  unsigned char* data = malloc(kSize);
  CHECK(data);
  for (int i = 0; i < kBlocks; i++) memset(data + i * kBlock, i, kBlock);
  CHECK_EQ(write(p[1], data, kSize), kSize);  // blocking: all of it
  struct iovec v[3] = {{data, 100000}, {data + 100000, 0}, {data + 100000, kSize - 100000}};
  CHECK_EQ(writev(p[1], v, 3), kSize);
  free(data);
  CHECK_OK(close(p[1]));
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  unsigned char buffer[kBlock], expected[kBlock];
  long total = 0;
  ssize_t n;
  while ((n = read(p[0], buffer, (size_t)(kBlock - total % kBlock))) > 0) {
    memset(expected, (int)(total / kBlock % kBlocks), sizeof expected);
    CHECK_EQ(memcmp(buffer, expected, (size_t)n), 0);
    total += n;
  }
  CHECK_EQ(n, 0);
  CHECK_EQ(total, 2 * kSize);
  return NULL;
}

int main(void) {
  pthread_t w, r;
  CHECK_OK(pipe(p));
  CHECK_RC(pthread_create(&w, NULL, writer, NULL), 0);
  CHECK_RC(pthread_create(&r, NULL, reader, NULL), 0);
  CHECK_RC(pthread_join(w, NULL), 0);
  CHECK_RC(pthread_join(r, NULL), 0);
  CHECK_OK(close(p[0]));
  return check_passed("fd_pipe_large");
}

// SPDX-License-Identifier: Apache-2.0
