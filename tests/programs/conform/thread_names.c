// Thread names: set and got for oneself and another, too long and too short buffers are ERANGE,
// prctl agrees.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "../check.h"

static sem_t go, ready;

static void* body(void* arg) {
  char name[32];
  CHECK_RC(pthread_setname_np(pthread_self(), arg), 0);
  CHECK_RC(pthread_getname_np(pthread_self(), name, sizeof name), 0);
  CHECK_EQ(strcmp(name, arg), 0);
  CHECK_OK(sem_post(&ready));
  while (sem_wait(&go) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_getname_np(pthread_self(), name, sizeof name), 0);
  CHECK_EQ(strcmp(name, "renamed"), 0);
  return NULL;
}

int main(void) {
  char name[32];
  pthread_t t;
  CHECK_OK(sem_init(&go, 0, 0));
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_RC(pthread_setname_np(pthread_self(), "main-thread"), 0);
  CHECK_RC(pthread_create(&t, NULL, body, "worker"), 0);
  while (sem_wait(&ready) != 0) CHECK_EQ(errno, EINTR);
  CHECK_RC(pthread_getname_np(t, name, sizeof name), 0);
  CHECK_EQ(strcmp(name, "worker"), 0);
  CHECK_RC(pthread_setname_np(t, "renamed"), 0);
  CHECK_OK(sem_post(&go));
  CHECK_RC(pthread_join(t, NULL), 0);

  CHECK_RC(pthread_getname_np(pthread_self(), name, sizeof name), 0);
  CHECK_EQ(strcmp(name, "main-thread"), 0);
  CHECK_RC(pthread_setname_np(pthread_self(), "fifteen-letters"), 0);
  CHECK_RC(pthread_setname_np(pthread_self(), "sixteen-letters!"), ERANGE);
  CHECK_RC(pthread_getname_np(pthread_self(), name, 16), 0);
  CHECK_EQ(strcmp(name, "fifteen-letters"), 0);
  CHECK_RC(pthread_getname_np(pthread_self(), name, 5), ERANGE);
  CHECK_OK(prctl(PR_GET_NAME, name, 0, 0, 0));
  CHECK_EQ(strcmp(name, "fifteen-letters"), 0);
  return check_passed("thread_names");
}

// SPDX-License-Identifier: Apache-2.0
