// fails: never
// The same without entering the folder: the working directory stays what it is.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void* measure(void* size) {
  struct stat status;
  assert(stat("inner/data", &status) == 0);
  *(long*)size = (long)status.st_size;
  return NULL;
}

static void* read_settings(void* unused) {
  const int fd = open("settings", O_RDONLY);
  assert(fd >= 0);
  close(fd);
  return unused;
}

int main(void) {
  char folder[4096];
  const char* tmp = getenv("TMPDIR");  // a run that fails leaves it there
  snprintf(folder, sizeof folder, "%s/jostle-directory-XXXXXX", tmp ? tmp : "/tmp");
  assert(mkdtemp(folder) && chdir(folder) == 0 && mkdir("inner", 0700) == 0);
  close(open("settings", O_CREAT | O_WRONLY, 0600));
  close(open("inner/data", O_CREAT | O_WRONLY, 0600));
  long size;
  pthread_t one, two;
  pthread_create(&one, NULL, measure, &size);
  pthread_create(&two, NULL, read_settings, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  unlink("inner/data");
  rmdir("inner");
  unlink("settings");
  rmdir(folder);
}

// SPDX-License-Identifier: Apache-2.0
