// Objects in memory that a process shares with its children: mutexes, also robust ones whose owner's
// process is killed, condition variables, semaphores, barriers, read-write locks, spin locks.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../check.h"

enum { kChildren = 2, kRounds = 3 };

struct Shared {
  pthread_mutex_t mutex, robust;
  pthread_cond_t cond;
  pthread_barrier_t barrier;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  sem_t ready, go;
  int turn, plain, spun, written;
};
static struct Shared* shared;

static void make_objects(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  pthread_mutexattr_t mutex;
  CHECK_RC(pthread_mutexattr_init(&mutex), 0);
  CHECK_RC(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_mutexattr_settype(&mutex, PTHREAD_MUTEX_RECURSIVE), 0);
  CHECK_RC(pthread_mutex_init(&shared->mutex, &mutex), 0);
  CHECK_RC(pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST), 0);
  CHECK_RC(pthread_mutex_init(&shared->robust, &mutex), 0);
  pthread_condattr_t cond;
  CHECK_RC(pthread_condattr_init(&cond), 0);
  CHECK_RC(pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_cond_init(&shared->cond, &cond), 0);
  pthread_barrierattr_t barrier;
  CHECK_RC(pthread_barrierattr_init(&barrier), 0);
  CHECK_RC(pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_barrier_init(&shared->barrier, &barrier, kChildren + 1), 0);
  pthread_rwlockattr_t rwlock;
  CHECK_RC(pthread_rwlockattr_init(&rwlock), 0);
  CHECK_RC(pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED), 0);
  CHECK_RC(pthread_rwlock_init(&shared->rwlock, &rwlock), 0);
  CHECK_RC(pthread_spin_init(&shared->spin, PTHREAD_PROCESS_SHARED), 0);
  CHECK_OK(sem_init(&shared->ready, 1, 0));
  CHECK_OK(sem_init(&shared->go, 1, 0));
}

// Process number `me` of all, in turn.
static void take_turns(int me) {
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&shared->mutex), 0);
    while (shared->turn % (kChildren + 1) != me) {
      CHECK_RC(pthread_cond_wait(&shared->cond, &shared->mutex), 0);
    }
    shared->turn++;
    CHECK_RC(pthread_mutex_lock(&shared->mutex), 0);
    CHECK_RC(pthread_mutex_unlock(&shared->mutex), 0);
    CHECK_RC(pthread_cond_broadcast(&shared->cond), 0);
    CHECK_RC(pthread_mutex_unlock(&shared->mutex), 0);
  }
}

static void add(void) {
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_spin_lock(&shared->spin), 0);
    shared->spun++;
    CHECK_RC(pthread_spin_unlock(&shared->spin), 0);
    CHECK_RC(pthread_rwlock_wrlock(&shared->rwlock), 0);
    shared->written++;
    CHECK_RC(pthread_rwlock_unlock(&shared->rwlock), 0);
    CHECK_RC(pthread_rwlock_rdlock(&shared->rwlock), 0);
    CHECK(shared->written > i);
    CHECK_RC(pthread_rwlock_unlock(&shared->rwlock), 0);
  }
}

static void child(int me) {
  CHECK_OK(sem_post(&shared->ready));
  CHECK_OK(sem_wait(&shared->go));
  take_turns(me);
  add();
  pthread_barrier_wait(&shared->barrier);
}

static void join(pid_t pid) {
  int status = -1;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 0);
}

static void inherit_from_the_dead(void) {
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    CHECK_RC(pthread_mutex_lock(&shared->robust), 0);
    CHECK_OK(sem_post(&shared->ready));
    for (;;) pause();
  }
  CHECK_OK(sem_wait(&shared->ready));
  CHECK_RC(pthread_mutex_trylock(&shared->robust), EBUSY);
  CHECK_OK(kill(pid, SIGKILL));
  CHECK_RC(pthread_mutex_lock(&shared->robust), EOWNERDEAD);
  CHECK_RC(pthread_mutex_consistent(&shared->robust), 0);
  CHECK_RC(pthread_mutex_unlock(&shared->robust), 0);
  CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

int main(void) {
  make_objects();
  pid_t pids[kChildren];
  for (int i = 0; i < kChildren; i++) {
    pids[i] = fork();
    CHECK(pids[i] >= 0);
    if (pids[i] == 0) {
      child(i + 1);
      _exit(0);
    }
  }
  for (int i = 0; i < kChildren; i++) CHECK_OK(sem_wait(&shared->ready));
  for (int i = 0; i < kChildren; i++) CHECK_OK(sem_post(&shared->go));
  take_turns(0);
  add();
  pthread_barrier_wait(&shared->barrier);
  for (int i = 0; i < kChildren; i++) join(pids[i]);
  CHECK_EQ(shared->turn, (kChildren + 1) * kRounds);
  CHECK_EQ(shared->spun, (kChildren + 1) * kRounds);
  CHECK_EQ(shared->written, (kChildren + 1) * kRounds);
  inherit_from_the_dead();
  return check_passed("proc_shared");
}

// SPDX-License-Identifier: Apache-2.0
