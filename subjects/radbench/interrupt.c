// A thread package in which a thread that waits can be interrupted: it says in its descriptor on
// which condition it waits, and whoever interrupts it wakes that condition. A condition counts those
// who are about to wake it, so that it goes away only when nobody is left.
//
// Wrong: between finding the condition in the descriptor and counting itself in, the interrupting
// thread holds nothing that keeps the condition alive.
// Shown when: an interrupting thread has found the condition; the waiting thread is woken in the
// ordinary way, leaves and destroys the condition; and only then the other one counts itself in.
// Failure: assert (a destroyed condition is woken: the program marks what it has destroyed).
// From: "RADBench/bug5" of SCTBench and the reads-from fuzzer paper: a test of the thread package
// of the Netscape Portable Runtime. The tables only name it; this is a bug such a package can have.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { kPairs = 2 };  // each: one that waits, one that wakes it, one that interrupts it

struct condition {
  pthread_mutex_t* lock;
  pthread_cond_t changed;
  atomic_int references;  // the owner's and those of threads about to wake it
  atomic_bool destroyed;  // the memory is not really given back, so that its use is seen for certain
};

struct thread {
  pthread_mutex_t lock;
  struct condition condition;
  struct condition* _Atomic waits_on;
  atomic_bool interrupted;
  bool ready;
};

static struct thread threads[kPairs];

static void release_condition(struct condition* condition) {
  if (atomic_fetch_sub(&condition->references, 1) == 1) condition->destroyed = true;
}

static void* wait_for_work(void* arg) {
  struct thread* self = arg;
  pthread_mutex_lock(&self->lock);
  self->waits_on = &self->condition;
  while (!self->ready && !self->interrupted) {
    pthread_cond_wait(&self->condition.changed, &self->lock);
  }
  self->waits_on = NULL;
  pthread_mutex_unlock(&self->lock);
  release_condition(&self->condition);
  return NULL;
}

static void* give_work(void* arg) {
  struct thread* thread = arg;
  pthread_mutex_lock(&thread->lock);
  thread->ready = true;
  if (thread->waits_on != NULL) pthread_cond_signal(&thread->condition.changed);
  pthread_mutex_unlock(&thread->lock);
  return NULL;
}

static void* interrupt(void* arg) {
  struct thread* thread = arg;
#ifdef FIXED
  pthread_mutex_lock(&thread->lock);
#endif
  thread->interrupted = true;
  struct condition* condition = thread->waits_on;
  if (condition != NULL) atomic_fetch_add(&condition->references, 1);
#ifdef FIXED
  pthread_mutex_unlock(&thread->lock);
#endif
  if (condition == NULL) return NULL;
  assert(!condition->destroyed);
  pthread_mutex_lock(condition->lock);
  pthread_cond_broadcast(&condition->changed);
  pthread_mutex_unlock(condition->lock);
  release_condition(condition);
  return NULL;
}

int main(void) {
  pthread_t ids[kPairs][3];
  for (int i = 0; i < kPairs; i++) {
    pthread_mutex_init(&threads[i].lock, NULL);
    pthread_cond_init(&threads[i].condition.changed, NULL);
    threads[i].condition.lock = &threads[i].lock;
    threads[i].condition.references = 1;
    pthread_create(&ids[i][0], NULL, wait_for_work, &threads[i]);
    pthread_create(&ids[i][1], NULL, give_work, &threads[i]);
    pthread_create(&ids[i][2], NULL, interrupt, &threads[i]);
  }
  for (int i = 0; i < kPairs; i++) {
    for (int j = 0; j < 3; j++) pthread_join(ids[i][j], NULL);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
