// A thread package counts its user threads; the first thread, when it ends, waits until all the
// others are gone.
//
// Wrong: a thread that ends counts itself out before it takes the lock.
// Shown when: two threads end at the same time and one of the counts is lost: the number never
// becomes zero, and nobody tells the thread that waits.
// Failure: deadlock.
// From: "RADBench/bug6" of SCTBench and the reads-from fuzzer paper: a test of the thread package
// of the Netscape Portable Runtime. The tables only name it; this is a bug such a package can have.
#include <pthread.h>
#include <stddef.h>

enum { kThreads = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_gone = PTHREAD_COND_INITIALIZER;
static int user_threads = kThreads;
static int work_done;

static void thread_ends(void) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
  user_threads--;
#else
  user_threads--;
  pthread_mutex_lock(&lock);
#endif
  if (user_threads == 0) pthread_cond_signal(&all_gone);
  pthread_mutex_unlock(&lock);
}

static void* work(void* arg) {
  pthread_mutex_lock(&lock);
  work_done++;
  pthread_mutex_unlock(&lock);
  thread_ends();
  return arg;
}

static void clean_up(void) {
  pthread_mutex_lock(&lock);
  while (user_threads > 0) pthread_cond_wait(&all_gone, &lock);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  for (int i = 0; i < kThreads; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
  }
  clean_up();
  return work_done == kThreads ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
