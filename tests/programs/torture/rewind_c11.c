// C11 threads: once, thread-specific storage, mutexes and conditions left as they are at the end.
#include <stdatomic.h>
#include <threads.h>

#include "pristine.h"

static once_flag flag = ONCE_FLAG_INIT;
static tss_t storage;
static mtx_t mutex;
static cnd_t condition;
static int calls;
static atomic_int ready;
static _Thread_local int mine = 3;

static void set_up(void) {
  PRISTINE(calls++ == 0);
  MUST(tss_create(&storage, free) == thrd_success);
  MUST(mtx_init(&mutex, mtx_plain) == thrd_success);
  MUST(cnd_init(&condition) == thrd_success);
}

static int work(void* argument) {
  call_once(&flag, set_up);
  PRISTINE(mine == 3 && tss_get(storage) == NULL);
  mine = 4;
  tss_set(storage, malloc(8));
  mtx_lock(&mutex);
  if (atomic_fetch_add(&ready, 1) == 2) cnd_broadcast(&condition);
  while (atomic_load(&ready) < 3) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  return argument != NULL;
}

int main(void) {
  PRISTINE(calls == 0 && ready == 0 && mine == 3);
  thrd_t threads[3];
  for (int i = 0; i < 3; i++) MUST(thrd_create(&threads[i], work, NULL) == thrd_success);
  for (int i = 0; i < 3; i++) {
    int result = 1;
    MUST(thrd_join(threads[i], &result) == thrd_success && result == 0);
  }
  mtx_lock(&mutex);
  mine = 5;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
