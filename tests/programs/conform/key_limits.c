// Keys run out with EAGAIN at PTHREAD_KEYS_MAX, come back by deletion, and a reused slot starts
// with NULL everywhere.
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { kThreads = 4 };

static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
static int made;
static pthread_barrier_t step;

static void wait_step(void) {
  int rc = pthread_barrier_wait(&step);
  CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void* use_all(void* arg) {
  intptr_t id = (intptr_t)arg;
  for (int i = 0; i < made; i++) CHECK(pthread_getspecific(keys[i]) == NULL);
  for (int i = 0; i < made; i++)
    CHECK_RC(pthread_setspecific(keys[i], (void*)(id * 10000 + i + 1)), 0);
  wait_step();
  for (int i = 0; i < made; i++)
    CHECK_EQ((intptr_t)pthread_getspecific(keys[i]), id * 10000 + i + 1);
  wait_step();
  // Main deletes and makes the keys again here.
  wait_step();
  for (int i = 0; i < made; i++) CHECK(pthread_getspecific(keys[i]) == NULL);
  return NULL;
}

int main(void) {
  int rc = 0;
  while (made <= PTHREAD_KEYS_MAX && (rc = pthread_key_create(&keys[made], NULL)) == 0) made++;
  CHECK_RC(rc, EAGAIN);
  CHECK(made >= 900);  // libraries may hold a few
  CHECK_RC(pthread_key_create(&keys[PTHREAD_KEYS_MAX], NULL), EAGAIN);
  CHECK_RC(pthread_setspecific((pthread_key_t)-1, &made), EINVAL);
  CHECK_RC(pthread_key_delete((pthread_key_t)-1), EINVAL);

  CHECK_RC(pthread_barrier_init(&step, NULL, kThreads + 1), 0);
  pthread_t t[kThreads];
  for (intptr_t i = 0; i < kThreads; i++)
    CHECK_RC(pthread_create(&t[i], NULL, use_all, (void*)i), 0);
  wait_step();
  wait_step();
  for (int i = 0; i < made; i++) CHECK_RC(pthread_key_delete(keys[i]), 0);
  for (int i = 0; i < made; i++) CHECK_RC(pthread_key_create(&keys[i], NULL), 0);
  wait_step();
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  for (int i = 0; i < made; i++) CHECK_RC(pthread_key_delete(keys[i]), 0);
  return check_passed("key_limits");
}

// SPDX-License-Identifier: Apache-2.0
