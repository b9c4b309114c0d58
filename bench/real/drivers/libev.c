// SPDX-License-Identifier: Apache-2.0
// Two threads wake a loop by ev_async_send; it ends when it has seen what both have put down.
#include <assert.h>
#include <ev.h>
#include <pthread.h>

static struct ev_loop* loop;
static ev_async wake;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int put, seen;

static void on_wake(struct ev_loop* here, ev_async* unused, int events) {
  (void)unused, (void)events;
  pthread_mutex_lock(&mutex);
  seen = put;
  pthread_mutex_unlock(&mutex);
  if (seen == 4) ev_break(here, EVBREAK_ALL);
}

static void* sender(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++put;
    pthread_mutex_unlock(&mutex);
    ev_async_send(loop, &wake);
  }
  return unused;
}

int main(void) {
  loop = ev_loop_new(EVFLAG_AUTO);
  ev_async_init(&wake, on_wake);
  ev_async_start(loop, &wake);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, sender, NULL);
  ev_run(loop, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(seen == 4);
  ev_loop_destroy(loop);
}
