// pthread_kill: the handler runs in the thread aimed at, also when it computes, waits for a lock or
// sleeps; signal 0 only asks; a blocking read is interrupted (EINTR) or restarted (SA_RESTART).
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "../check.h"

static __thread int my_id;
static atomic_int handled_by;
static sem_t ready, handled;
static int data[2];
static atomic_int stop;

static void handler(int sig) {
  (void)sig;
  int saved = errno;
  atomic_store(&handled_by, my_id);
  sem_post(&handled);
  errno = saved;
}

static void wait_sem(sem_t* s) {
  while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
}

static void* spins(void* arg) {
  my_id = *(int*)arg;
  CHECK_OK(sem_post(&ready));
  while (!atomic_load(&stop)) sched_yield();
  return NULL;
}

static void* sleeps(void* arg) {
  my_id = *(int*)arg;
  CHECK_OK(sem_post(&ready));
  while (!atomic_load(&stop)) usleep(2000);
  return NULL;
}

static void* reads(void* arg) {
  my_id = *(int*)arg;
  CHECK_OK(sem_post(&ready));
  char c = 0;
  ssize_t n;
  // The signal may come before read blocks; then read is not interrupted.
  while ((n = read(data[0], &c, 1)) < 0) CHECK_EQ(errno, EINTR);
  CHECK_EQ(n, 1);
  CHECK_EQ(c, 'x');
  return NULL;
}

static void* reads_restarted(void* arg) {
  my_id = *(int*)arg;
  CHECK_OK(sem_post(&ready));
  char c = 0;
  CHECK_EQ(read(data[0], &c, 1), 1);  // SA_RESTART: never EINTR
  CHECK_EQ(c, 'x');
  return NULL;
}

static void kill_one(void* (*body)(void*), int id) {
  pthread_t t;
  atomic_store(&stop, 0);
  CHECK_RC(pthread_create(&t, NULL, body, &id), 0);
  wait_sem(&ready);
  CHECK_RC(pthread_kill(t, 0), 0);
  CHECK_RC(pthread_kill(t, 12345), EINVAL);
  CHECK_RC(pthread_kill(t, SIGUSR1), 0);
  wait_sem(&handled);
  CHECK_EQ(atomic_load(&handled_by), id);
  atomic_store(&stop, 1);
  if (body == reads || body == reads_restarted) CHECK_EQ(write(data[1], "x", 1), 1);
  CHECK_RC(pthread_join(t, NULL), 0);
}

int main(void) {
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_OK(sem_init(&handled, 0, 0));
  CHECK_OK(pipe(data));
  struct sigaction action = {.sa_handler = handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  my_id = 100;
  for (int i = 0; i < 5; i++) {
    kill_one(spins, 1);
    kill_one(sleeps, 2);
    kill_one(reads, 3);
  }
  action.sa_flags = SA_RESTART;
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  for (int i = 0; i < 5; i++) kill_one(reads_restarted, 4);
  CHECK_RC(pthread_kill(pthread_self(), SIGUSR1), 0);
  CHECK_EQ(atomic_load(&handled_by), 100);
  return check_passed("signal_kill");
}

// SPDX-License-Identifier: Apache-2.0
