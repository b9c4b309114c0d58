// Process-wide state: environment, working directory, umask, limits, arguments; changed in threads
// under a mutex.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "../check.h"

enum { kThreads = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* body(void* arg) {
  int id = *(int*)arg;
  char name[32], value[32];
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "CHECK_ENV_%d", id);
    snprintf(value, sizeof value, "value-%d-%d", id, i);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    CHECK_OK(setenv(name, value, 1));
    CHECK_OK(setenv("CHECK_ENV_SHARED", value, 0));
    CHECK_EQ(strcmp(getenv(name), value), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

int main(int argc, char** argv) {
  CHECK(argc >= 1 && argv[0] != NULL && argv[argc] == NULL);
  pthread_t t[kThreads];
  int ids[kThreads];
  for (int i = 0; i < kThreads; i++) {
    ids[i] = i;
    CHECK_RC(pthread_create(&t[i], NULL, body, &ids[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  for (int i = 0; i < kThreads; i++) {
    char name[32];
    snprintf(name, sizeof name, "CHECK_ENV_%d", i);
    CHECK(getenv(name) != NULL);
    CHECK_OK(unsetenv(name));
    CHECK(getenv(name) == NULL);
  }
  CHECK(strstr(getenv("CHECK_ENV_SHARED"), "-0") != NULL);
  CHECK_ERRNO(setenv("A=B", "x", 1), EINVAL);
  static char put[] = "CHECK_PUT=1";
  CHECK_EQ(putenv(put), 0);
  put[10] = '2';  // putenv keeps the string itself
  CHECK_EQ(strcmp(getenv("CHECK_PUT"), "2"), 0);

  char before[PATH_MAX], after[PATH_MAX];
  CHECK(getcwd(before, sizeof before) != NULL);
  CHECK_OK(chdir("/"));
  CHECK(getcwd(after, sizeof after) != NULL);
  CHECK_EQ(strcmp(after, "/"), 0);
  CHECK_OK(chdir(before));
  mode_t mask = umask(027);
  CHECK_EQ(umask(mask), 027);
  struct rlimit limit;
  CHECK_OK(getrlimit(RLIMIT_NOFILE, &limit));
  CHECK(limit.rlim_cur >= 3);
  struct utsname name;
  CHECK_OK(uname(&name));
  CHECK(getpid() > 1 && getppid() >= 0);
  CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
  CHECK_ERRNO(sysconf(9999), EINVAL);
  return check_passed("proc_environment");
}

// SPDX-License-Identifier: Apache-2.0
