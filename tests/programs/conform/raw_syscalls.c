// System calls about threads made with syscall(): tgkill and tkill reach the thread they name, kill
// the process, and exit ends the calling thread alone, without its cleanup handlers.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "../check.h"

static __thread int my_id;
static atomic_int handled_by, stop, workers_tid;
static sem_t ready, handled;
static pthread_key_t key;

static void handler(int sig) {
  (void)sig;
  atomic_store(&handled_by, my_id);
  sem_post(&handled);
}

static void wait_sem(sem_t* s) {
  while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
}

static void never(void* arg) {
  (void)arg;
  CHECK(!"runs after the system call exit");
}

static void* worker(void* arg) {
  my_id = 1;
  CHECK_RC(pthread_setspecific(key, &my_id), 0);
  pthread_cleanup_push(never, NULL);
  atomic_store(&workers_tid, (int)syscall(SYS_gettid));
  CHECK_OK(sem_post(&ready));
  while (!atomic_load(&stop)) sched_yield();
  syscall(SYS_exit, 0);
  pthread_cleanup_pop(0);
  return arg;
}

static void check_handled_by(int id) {
  wait_sem(&handled);
  CHECK_EQ(atomic_load(&handled_by), id);
}

int main(void) {
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_OK(sem_init(&handled, 0, 0));
  CHECK_RC(pthread_key_create(&key, never), 0);
  struct sigaction action = {.sa_handler = handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  my_id = 100;
  for (int round = 0; round < 3; round++) {
    pthread_t t;
    atomic_store(&stop, 0);
    CHECK_RC(pthread_create(&t, NULL, worker, NULL), 0);
    wait_sem(&ready);
    const int tid = atomic_load(&workers_tid);
    unsigned char attributes[56];
    CHECK_OK(syscall(SYS_sched_getattr, tid, attributes, sizeof attributes, 0));
    CHECK_OK(syscall(SYS_sched_setattr, tid, attributes, 0));
    CHECK_ERRNO(syscall(SYS_sched_getattr, tid, attributes, 8, 0), EINVAL);
    CHECK_OK(syscall(SYS_tgkill, getpid(), tid, 0));
    CHECK_ERRNO(syscall(SYS_tgkill, getpid(), tid, 12345), EINVAL);
    CHECK_ERRNO(syscall(SYS_tgkill, getpid(), 0, SIGUSR1), EINVAL);
    CHECK_OK(syscall(SYS_tgkill, getpid(), tid, SIGUSR1));
    check_handled_by(1);
    CHECK_OK(syscall(SYS_tkill, tid, SIGUSR1));
    check_handled_by(1);
    CHECK_OK(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1));
    check_handled_by(100);
    CHECK_OK(syscall(SYS_kill, getpid(), SIGUSR1));  // Linux asks main first
    check_handled_by(100);
    atomic_store(&stop, 1);
    CHECK_RC(pthread_join(t, NULL), 0);
    CHECK_ERRNO(syscall(SYS_tgkill, getpid(), tid, SIGUSR1), ESRCH);
  }
  return check_passed("raw_syscalls");
}

// SPDX-License-Identifier: Apache-2.0
