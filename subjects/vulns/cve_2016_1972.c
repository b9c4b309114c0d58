// A hand-made "run this once", whose lock is allocated by the first caller and freed by the last
// one.
//
// Wrong: the caller that counts itself out as the last one frees the lock, while another one that
// has just counted itself in may have picked up the pointer already.
// Shown when: a thread that saw "not done yet" counts itself in after the first one counted itself
// out, and reads the pointer before the first one clears it.
// Failure: assert (a freed lock is used: the program marks locks that it has freed).
// From: CVE-2016-1972 (Firefox, libvpx's once()); "ConVul/CVE-2016-1972" of the reads-from fuzzer
// paper.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { kCallers = 2, kLocks = 2 * kCallers };

enum state { kUnused, kLive, kFreed };

struct lock {
  atomic_int state;
  pthread_mutex_t mutex;
};

// Locks are not really given back to the heap, so that a use of a freed one is seen for certain.
static struct lock locks[kLocks];
static atomic_int allocated;

static _Atomic(struct lock*) once_lock;
static atomic_int waiters;
static atomic_int done;
static int calls;

static struct lock* allocate_lock(void) {
  struct lock* lock = &locks[atomic_fetch_add(&allocated, 1)];
  pthread_mutex_init(&lock->mutex, NULL);
  atomic_store(&lock->state, kLive);
  return lock;
}

static void free_lock(struct lock* lock) {
  assert(atomic_load(&lock->state) == kLive);
  atomic_store(&lock->state, kFreed);
}

static void once(void (*function)(void)) {
  if (atomic_load(&done)) return;
  atomic_fetch_add(&waiters, 1);
  struct lock* lock = atomic_load(&once_lock);
  if (lock == NULL) {
    struct lock* mine = allocate_lock();
    if (atomic_compare_exchange_strong(&once_lock, &lock, mine)) {
      lock = mine;
    } else {
      free_lock(mine);  // somebody else was faster; `lock` is theirs
    }
  }
  assert(atomic_load(&lock->state) == kLive);
  pthread_mutex_lock(&lock->mutex);
  if (!atomic_load(&done)) {
    function();
    atomic_store(&done, 1);
  }
  pthread_mutex_unlock(&lock->mutex);
#ifdef FIXED
  atomic_fetch_sub(&waiters, 1);  // the lock stays for the life of the program
#else
  if (atomic_fetch_sub(&waiters, 1) == 1) {
    free_lock(lock);
    atomic_store(&once_lock, NULL);
  }
#endif
}

static void initialise(void) { calls++; }

static void* call(void* arg) {
  once(initialise);
  return arg;
}

int main(void) {
  pthread_t callers[kCallers];
  for (int i = 0; i < kCallers; i++) pthread_create(&callers[i], NULL, call, NULL);
  for (int i = 0; i < kCallers; i++) pthread_join(callers[i], NULL);
  assert(calls == 1);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
