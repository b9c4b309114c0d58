// fails: never
// Both make the lock file, and the system says who was first.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[4096];
static char path[sizeof folder + 8];

static void* work(void* unused) {
  const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  assert(fd >= 0 || errno == EEXIST);
  if (fd >= 0) close(fd);
  return unused;
}

int main(void) {
  const char* tmp = getenv("TMPDIR");  // a run that fails leaves it there
  snprintf(folder, sizeof folder, "%s/jostle-lock-XXXXXX", tmp ? tmp : "/tmp");
  assert(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/lock", folder);
  pthread_t one, two;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&two, NULL, work, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  unlink(path);
  rmdir(folder);
}

// SPDX-License-Identifier: Apache-2.0
