// Other programs: system, popen both ways, posix_spawn, fork and exec, vfork-like spawning, while
// threads run.
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../check.h"

extern char** environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* counts(void* arg) {
  for (int i = 0; i < 50; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    counter++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return arg;
}

static void* spawns(void* arg) {
  char* good[] = {"true", NULL};
  char* bad[] = {"false", NULL};
  pid_t pid;
  int status = -1;
  CHECK_RC(posix_spawn(&pid, "/bin/true", NULL, NULL, good, environ), 0);
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_RC(posix_spawnp(&pid, "false", NULL, NULL, bad, environ), 0);
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK_EQ(WEXITSTATUS(status), 1);
  CHECK_RC(posix_spawn(&pid, "/no/such/program", NULL, NULL, good, environ), ENOENT);
  return arg;
}

int main(void) {
  pthread_t t[3];
  CHECK_RC(pthread_create(&t[0], NULL, counts, NULL), 0);
  CHECK_RC(pthread_create(&t[1], NULL, counts, NULL), 0);
  CHECK_RC(pthread_create(&t[2], NULL, spawns, NULL), 0);
  CHECK_RC(pthread_join(t[2], NULL), 0);

  CHECK(system(NULL) != 0);
  int status = system("exit 5");
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 5);

  char line[64];
  FILE* out = popen("echo hello; exit 3", "r");
  CHECK(out);
  CHECK(fgets(line, sizeof line, out) != NULL);
  CHECK_EQ(strcmp(line, "hello\n"), 0);
  status = pclose(out);
  CHECK_EQ(WEXITSTATUS(status), 3);
  FILE* in = popen("read word; test \"$word\" = sesame", "w");
  CHECK(in);
  fputs("sesame\n", in);
  status = pclose(in);
  CHECK_EQ(status, 0);

  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 42", (char*)NULL);
    _exit(127);
  }
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK_EQ(WEXITSTATUS(status), 42);

  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(counter, 100);
  return check_passed("proc_commands");
}

// SPDX-License-Identifier: Apache-2.0
