// readv, writev, pread, pwrite, preadv, pwritev on pipes and files; a file never blocks.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "../check.h"

static int p[2];

static void* writer(void* arg) {
  (void)arg;
  struct iovec v[3] = {{"head", 4}, {"", 0}, {"tail!", 5}};
  for (int i = 0; i < 20; i++) CHECK_EQ(writev(p[1], v, 3), 9);
  CHECK_OK(close(p[1]));
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_OK(pipe(p));
  CHECK_RC(pthread_create(&t, NULL, writer, NULL), 0);
  char a[3], b[6];
  for (int i = 0; i < 20; i++) {
    struct iovec v[2] = {{a, 3}, {b, 6}};
    CHECK_EQ(readv(p[0], v, 2), 9);  // each writev of up to PIPE_BUF bytes is atomic
    CHECK_EQ(memcmp(a, "hea", 3), 0);
    CHECK_EQ(memcmp(b, "dtail!", 6), 0);
  }
  struct iovec last = {a, 3};
  CHECK_EQ(readv(p[0], &last, 1), 0);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK_ERRNO(pread(p[0], a, 1, 0), ESPIPE);
  CHECK_OK(close(p[0]));

  char name[] = "/tmp/check-vectors-XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0);
  CHECK_OK(unlink(name));
  CHECK_EQ(pwrite(fd, "0123456789", 10, 0), 10);
  CHECK_EQ(pread(fd, a, 3, 4), 3);
  CHECK_EQ(memcmp(a, "456", 3), 0);
  struct iovec w[2] = {{"AB", 2}, {"CD", 2}}, r[2] = {{a, 3}, {b, 6}};
  CHECK_EQ(pwritev(fd, w, 2, 2), 4);
  CHECK_EQ(preadv(fd, r, 2, 1), 9);
  CHECK_EQ(memcmp(a, "1AB", 3), 0);
  CHECK_EQ(memcmp(b, "CD6789", 6), 0);
  CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
  CHECK_EQ(read(fd, a, 3), 3);
  CHECK_EQ(lseek(fd, 0, SEEK_CUR), 3);
  CHECK_EQ(lseek(fd, -1, SEEK_END), 9);
  CHECK_EQ(read(fd, a, 3), 1);
  CHECK_EQ(read(fd, a, 3), 0);
  struct stat st;
  CHECK_OK(fstat(fd, &st));
  CHECK_EQ(st.st_size, 10);
  CHECK_OK(ftruncate(fd, 4));
  CHECK_OK(fsync(fd));
  CHECK_EQ(lseek(fd, 0, SEEK_END), 4);
  CHECK_OK(close(fd));
  return check_passed("fd_vectors");
}

// SPDX-License-Identifier: Apache-2.0
