// Many threads alive at once (argument, default 2000): all created before any may finish, then all
// joined.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int alive, go;
static __thread int mine;

static void* body(void* arg) {
  mine = (int)(intptr_t)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  alive++;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  while (!go) CHECK_RC(pthread_cond_wait(&cond, &mutex), 0);
  alive--;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return (void*)(intptr_t)(mine * 2);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2000;
  CHECK(n > 0);
  pthread_t* t = calloc((size_t)n, sizeof *t);
  CHECK(t);
  pthread_attr_t a;
  CHECK_RC(pthread_attr_init(&a), 0);
  CHECK_RC(pthread_attr_setstacksize(&a, 128 * 1024), 0);
  for (int i = 0; i < n; i++) CHECK_RC(pthread_create(&t[i], &a, body, (void*)(intptr_t)i), 0);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  while (alive < n) CHECK_RC(pthread_cond_wait(&arrived, &mutex), 0);
  go = 1;
  CHECK_RC(pthread_cond_broadcast(&cond), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < n; i++) {
    void* result = NULL;
    CHECK_RC(pthread_join(t[i], &result), 0);
    CHECK_EQ((intptr_t)result, 2 * i);
  }
  CHECK_EQ(alive, 0);
  free(t);
  return check_passed("scale_alive");
}

// SPDX-License-Identifier: Apache-2.0
