// SPDX-License-Identifier: Apache-2.0
// A queue of jobs with cancellation. A worker looks whether its job is cancelled, and later marks it as running; who cancels does it the
// other way round. Between the two looks both believe that they own the job.
#include <assert.h>
#include <pthread.h>

enum { JOBS = 4, WORKERS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job;
static struct {
  volatile int cancelled, running, done, undone;
} jobs[JOBS];

static void* work(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    const int job = next_job < JOBS ? next_job++ : -1;
    pthread_mutex_unlock(&lock);
    if (job < 0) return unused;
    if (jobs[job].cancelled) continue;
    jobs[job].running = 1;
    pthread_mutex_lock(&lock);
    jobs[job].done = 1;
    pthread_mutex_unlock(&lock);
  }
}
static void* cancel_third(void* unused) {
  pthread_mutex_lock(&lock);
  const int is_first = next_job < 3;
  pthread_mutex_unlock(&lock);
  if (is_first && !jobs[2].running) {
    jobs[2].cancelled = 1;
    pthread_mutex_lock(&lock);
    jobs[2].undone = 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[WORKERS + 1];
  for (int i = 0; i < WORKERS; ++i) pthread_create(&threads[i], 0, work, 0);
  pthread_create(&threads[WORKERS], 0, cancel_third, 0);
  for (int i = 0; i <= WORKERS; ++i) pthread_join(threads[i], 0);
  assert(!(jobs[2].done && jobs[2].undone));
}
