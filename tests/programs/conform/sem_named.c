// Named semaphores: create, open again (the same object), O_EXCL, unlink while open, missing names,
// bad names.
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../check.h"

static char name[64];

static void* poster(void* arg) {
  (void)arg;
  sem_t* s = sem_open(name, 0);
  CHECK(s != SEM_FAILED);
  CHECK_OK(sem_post(s));
  CHECK_OK(sem_close(s));
  return NULL;
}

int main(void) {
  snprintf(name, sizeof name, "/check-sem-%d", (int)getpid());
  sem_unlink(name);
  errno = 0;
  CHECK(sem_open(name, 0) == SEM_FAILED);
  CHECK_EQ(errno, ENOENT);

  sem_t* s = sem_open(name, O_CREAT, 0600, 2u);
  CHECK(s != SEM_FAILED);
  errno = 0;
  CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1u) == SEM_FAILED);
  CHECK_EQ(errno, EEXIST);
  sem_t* again = sem_open(name, O_CREAT, 0600, 9u);  // the value is for a new one only
  CHECK(again == s);
  int v = -1;
  CHECK_OK(sem_getvalue(again, &v));
  CHECK_EQ(v, 2);
  CHECK_OK(sem_wait(again));
  CHECK_OK(sem_wait(s));
  CHECK_ERRNO(sem_trywait(again), EAGAIN);

  pthread_t t[4];
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_create(&t[i], NULL, poster, NULL), 0);
  for (int i = 0; i < 4; i++) {
    while (sem_wait(s) != 0) CHECK_EQ(errno, EINTR);
  }
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_OK(sem_close(again));
  CHECK_OK(sem_post(s));  // opened twice, closed once

  // Unlinked: the open one lives on, a new one of that name is another.
  CHECK_OK(sem_unlink(name));
  CHECK_ERRNO(sem_unlink(name), ENOENT);
  sem_t* fresh = sem_open(name, O_CREAT | O_EXCL, 0600, 0u);
  CHECK(fresh != SEM_FAILED);
  CHECK(fresh != s);
  CHECK_OK(sem_trywait(s));
  CHECK_ERRNO(sem_trywait(fresh), EAGAIN);
  CHECK_OK(sem_close(s));
  CHECK_OK(sem_close(fresh));
  CHECK_OK(sem_unlink(name));

  errno = 0;
  CHECK(sem_open("/", O_CREAT, 0600, 0u) == SEM_FAILED);
  CHECK_EQ(errno, EINVAL);
  errno = 0;
  CHECK(sem_open("/check-too-big", O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1u) == SEM_FAILED);
  CHECK_EQ(errno, EINVAL);
  return check_passed("sem_named");
}

// SPDX-License-Identifier: Apache-2.0
