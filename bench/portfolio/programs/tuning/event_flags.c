// SPDX-License-Identifier: Apache-2.0
// A group of event flags: two senders set a bit each, a third clears an old one by reading and writing back what was there. A bit that was set
// in between is lost, and who waits for both waits for ever.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned flags = 4;

static unsigned get(void) {
  pthread_mutex_lock(&lock);
  const unsigned now = flags;
  pthread_mutex_unlock(&lock);
  return now;
}
static void* send(void* argument) {
  pthread_mutex_lock(&lock);
  flags |= (unsigned)(long)argument;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}
static void* clear(void* unused) {
  for (int i = 0; i < 4; ++i) {
    const unsigned now = get();
    if (now != 5) continue;
    pthread_mutex_lock(&lock);
    flags = now & ~4u;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
static void* wait_for_all(void* unused) {
  pthread_mutex_lock(&lock);
  while ((flags & 3) != 3) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  pthread_create(&threads[0], 0, wait_for_all, 0);
  pthread_create(&threads[1], 0, clear, 0);
  pthread_create(&threads[2], 0, send, (void*)1L);
  pthread_create(&threads[3], 0, send, (void*)2L);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
}
