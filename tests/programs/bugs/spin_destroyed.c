// fails: misuse use-after-destroy (some schedules)
// The spin lock is destroyed when the work seems done. Shown when a thread comes late to it.
#include <pthread.h>
#include <stdatomic.h>

static pthread_spinlock_t spin;
static atomic_int done;

static void* work(void* arg) {
  atomic_store(&done, 1);
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  if (pthread_create(&t, NULL, work, NULL) != 0) return 2;
  if (atomic_load(&done)) pthread_spin_destroy(&spin);
  pthread_join(t, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
