// fails: never
// spin_destroyed with the end of the work waited for.
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
  pthread_join(t, NULL);
  pthread_spin_destroy(&spin);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
