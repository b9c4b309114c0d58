// A forked child starts threads of its own, while the parent's threads, which it does not have, go
// on in the parent.
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>

#include "../check.h"

static sem_t release;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value = 1;

static void* bystander(void* arg) {
  while (sem_wait(&release) != 0) CHECK_EQ(errno, EINTR);
  return arg;
}

static void* adds(void* arg) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  value += *(int*)arg;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

static void run_two(int n) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_create(&t[i], NULL, adds, &n), 0);
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
}

int main(void) {
  pthread_t t[2];
  CHECK_OK(sem_init(&release, 0, 0));
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_create(&t[i], NULL, bystander, NULL), 0);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    run_two(10);
    _exit(value);
  }
  run_two(3);
  int status = -1;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 21);
  CHECK_EQ(value, 7);
  for (int i = 0; i < 2; i++) CHECK_OK(sem_post(&release));
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  return check_passed("proc_fork_threads");
}

// SPDX-License-Identifier: Apache-2.0
