// Signals sent to the process: handled by some thread that does not block them, or collected by the
// one in sigwait.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "../check.h"

static __thread int blocks_usr1;
static sem_t handled;
static atomic_int wrong_thread;

static void handler(int sig) {
  (void)sig;
  if (blocks_usr1) atomic_store(&wrong_thread, 1);
  sem_post(&handled);
}

static void wait_sem(sem_t* s) {
  while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
}

static sem_t finish, collected;
static void* blocks(void* arg) {
  blocks_usr1 = 1;
  wait_sem(&finish);
  return arg;
}

static void* collects(void* set) {
  int sig = 0;
  CHECK_RC(sigwait(set, &sig), 0);
  CHECK_EQ(sig, SIGUSR2);
  CHECK_OK(sem_post(&collected));
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(sem_init(&handled, 0, 0));
  CHECK_OK(sem_init(&finish, 0, 0));
  CHECK_OK(sem_init(&collected, 0, 0));

  sigset_t both, usr1, usr2;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  sigemptyset(&both);
  sigaddset(&both, SIGUSR1);
  sigaddset(&both, SIGUSR2);
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &both, NULL), 0);
  pthread_t t[3];
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_create(&t[i], NULL, blocks, NULL), 0);
  CHECK_RC(pthread_create(&t[2], NULL, collects, &usr2), 0);
  CHECK_RC(pthread_sigmask(SIG_UNBLOCK, &usr1, NULL), 0);

  for (int i = 0; i < 5; i++) {
    CHECK_OK(kill(getpid(), SIGUSR1));  // only main takes it
    wait_sem(&handled);
  }
  CHECK_EQ(atomic_load(&wrong_thread), 0);

  CHECK_OK(kill(getpid(), SIGUSR2));
  wait_sem(&collected);
  for (int i = 0; i < 2; i++) CHECK_OK(sem_post(&finish));
  for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  return check_passed("signal_process");
}

// SPDX-License-Identifier: Apache-2.0
