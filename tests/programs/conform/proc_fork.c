// fork with other threads around: the child has one thread, a copy of memory and descriptors, and
// its own exit status.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

static sem_t release;
static int value = 1;

static void* bystander(void* arg) {
  while (sem_wait(&release) != 0) CHECK_EQ(errno, EINTR);
  return arg;
}

static int wait_for(pid_t pid) {
  int status = -1;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  return status;
}

static void* forks(void* arg) {  // from a thread that is not main
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) _exit(*(int*)arg);
  CHECK_EQ(WEXITSTATUS(wait_for(pid)), *(int*)arg);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  CHECK_OK(sem_init(&release, 0, 0));
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&t[i], NULL, bystander, NULL), 0);

  int p[2];
  CHECK_OK(pipe(p));
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    value = 100;  // not seen by the parent
    CHECK_EQ(write(p[1], "from child", 10), 10);
    _exit(7);
  }
  char buffer[20];
  CHECK_EQ(read(p[0], buffer, sizeof buffer), 10);
  CHECK_EQ(memcmp(buffer, "from child", 10), 0);
  int status = wait_for(pid);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 7);
  CHECK_EQ(value, 1);
  CHECK_ERRNO(waitpid(pid, &status, 0), ECHILD);

  pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    raise(SIGKILL);
    _exit(0);
  }
  status = wait_for(pid);
  CHECK(WIFSIGNALED(status));
  CHECK_EQ(WTERMSIG(status), SIGKILL);

  // A child has used no processor time so far.
  const clock_t much = CLOCKS_PER_SEC / 50;
  while (clock() < much) continue;
  pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    struct timespec used;
    CHECK(clock() < much);
    CHECK_OK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used));
    CHECK(used.tv_sec == 0 && used.tv_nsec < 20000000);
    _exit(0);
  }
  CHECK_EQ(wait_for(pid), 0);

  int code = 9;
  pthread_t forker;
  CHECK_RC(pthread_create(&forker, NULL, forks, &code), 0);
  CHECK_RC(pthread_join(forker, NULL), 0);

  for (int i = 0; i < 3; i++) CHECK_OK(sem_post(&release));
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  return check_passed("proc_fork");
}

// SPDX-License-Identifier: Apache-2.0
