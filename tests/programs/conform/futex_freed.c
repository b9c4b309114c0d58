// A mutex made of a futex, in a block that the last of its users frees. Whoever unlocks it may wake
// by an address that is nobody's any more: the kernel looks at no memory for that.
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../check.h"

struct shared {
  int word;  // 0: free, 1: taken, 2: taken, and somebody waits
  int users;
};

static void lock(int* word) {
  int expected = 0;
  if (__atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
  }
}

static void unlock(int* word) {
  if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static void* use(void* argument) {
  struct shared* shared = argument;
  lock(&shared->word);
  const int left = --shared->users;
  unlock(&shared->word);
  if (left == 0) free(shared);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 20; round++) {
    struct shared* shared = malloc(sizeof *shared);
    *shared = (struct shared){0, 3};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) CHECK_RC(pthread_create(&threads[i], NULL, use, shared), 0);
    for (int i = 0; i < 3; i++) CHECK_RC(pthread_join(threads[i], NULL), 0);
  }
  return check_passed("futex_freed");
}

// SPDX-License-Identifier: Apache-2.0
