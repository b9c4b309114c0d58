// Thousands of synchronisation objects (argument, default 5000): mutexes, condition variables,
// semaphores, rwlocks; made, used by several threads, destroyed, made again.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 4 };

struct object {
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  pthread_rwlock_t rwlock;
  sem_t sem;
  int value;
};

static struct object* objects;
static int n;

static void* body(void* arg) {
  int id = *(int*)arg;
  for (int i = id; i < n; i += 1 + id) {
    struct object* o = &objects[i];
    CHECK_RC(pthread_rwlock_rdlock(&o->rwlock), 0);
    CHECK_RC(pthread_mutex_lock(&o->mutex), 0);
    o->value++;
    CHECK_RC(pthread_cond_signal(&o->cond), 0);
    CHECK_RC(pthread_mutex_unlock(&o->mutex), 0);
    CHECK_RC(pthread_rwlock_unlock(&o->rwlock), 0);
    CHECK_OK(sem_post(&o->sem));
  }
  return NULL;
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 5000;
  CHECK(n >= kThreads);
  objects = calloc((size_t)n, sizeof *objects);
  CHECK(objects);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < n; i++) {
      CHECK_RC(pthread_mutex_init(&objects[i].mutex, NULL), 0);
      CHECK_RC(pthread_cond_init(&objects[i].cond, NULL), 0);
      CHECK_RC(pthread_rwlock_init(&objects[i].rwlock, NULL), 0);
      CHECK_OK(sem_init(&objects[i].sem, 0, 0));
      objects[i].value = 0;
    }
    pthread_t t[kThreads];
    int ids[kThreads];
    for (int i = 0; i < kThreads; i++) {
      ids[i] = i;
      CHECK_RC(pthread_create(&t[i], NULL, body, &ids[i]), 0);
    }
    for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
    for (int i = 0; i < n; i++) {
      int v = -1;
      CHECK_OK(sem_getvalue(&objects[i].sem, &v));
      CHECK_EQ(v, objects[i].value);
      CHECK(v >= 1 && v <= kThreads);
      CHECK_RC(pthread_mutex_destroy(&objects[i].mutex), 0);
      CHECK_RC(pthread_cond_destroy(&objects[i].cond), 0);
      CHECK_RC(pthread_rwlock_destroy(&objects[i].rwlock), 0);
      CHECK_OK(sem_destroy(&objects[i].sem));
    }
  }
  free(objects);
  return check_passed("scale_objects");
}

// SPDX-License-Identifier: Apache-2.0
