// Two processes that look at memory which they share until the other one has written there: neither
// goes round for ever, however often it does.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int state, may_go_on, done;
};

static void child(struct shared* shared) {
  CHECK_RC(pthread_mutex_lock(&shared->mutex), 0);
  shared->state = 1;
  while (!shared->may_go_on) CHECK_RC(pthread_cond_wait(&shared->changed, &shared->mutex), 0);
  shared->state = 2;
  CHECK_RC(pthread_mutex_unlock(&shared->mutex), 0);
  while (__atomic_load_n(&shared->state, __ATOMIC_ACQUIRE) != 3) {
  }
  __atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
  _exit(0);
}

static void wait_until(struct shared* shared, int state) {
  CHECK_RC(pthread_mutex_lock(&shared->mutex), 0);
  while (shared->state != state) {
    CHECK_RC(pthread_mutex_unlock(&shared->mutex), 0);
    sched_yield();
    CHECK_RC(pthread_mutex_lock(&shared->mutex), 0);
  }
}

static void shares(struct shared* shared) {
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  int status;
  CHECK_RC(pthread_mutexattr_init(&mutex), 0);
  CHECK_RC(pthread_condattr_init(&condition), 0);
  CHECK_RC(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_mutex_init(&shared->mutex, &mutex), 0);
  CHECK_RC(pthread_cond_init(&shared->changed, &condition), 0);
  const pid_t process = fork();
  if (process == 0) child(shared);
  wait_until(shared, 1);
  shared->may_go_on = 1;
  CHECK_RC(pthread_cond_broadcast(&shared->changed), 0);
  CHECK_RC(pthread_mutex_unlock(&shared->mutex), 0);
  wait_until(shared, 2);
  __atomic_store_n(&shared->state, 3, __ATOMIC_RELEASE);
  CHECK_RC(pthread_mutex_unlock(&shared->mutex), 0);
  for (int i = 0; !__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) && i < 10000; i++) usleep(1000);
  CHECK(shared->done);
  CHECK_EQ(waitpid(process, &status, 0), process);
  CHECK_EQ(status, 0);
}

int main(void) {
  char name[] = "/tmp/jostle-shared-XXXXXX";
  const int flags = PROT_READ | PROT_WRITE, fd = mkstemp(name);
  CHECK(fd >= 0);
  CHECK_OK(unlink(name));
  CHECK_OK(ftruncate(fd, 4096));
  shares(mmap(NULL, 4096, flags, MAP_SHARED, fd, 0));
  CHECK_OK(close(fd));
  shares(mmap(NULL, 4096, flags, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return check_passed("proc_shared_memory");
}

// SPDX-License-Identifier: Apache-2.0
