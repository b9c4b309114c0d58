// fails: abort (some schedules)
// A state machine that aborts on an event it does not expect. Shown when the connection's data
// arrives before "opened".
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum state { CLOSED, OPEN };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static enum state state = CLOSED;
static int bytes;

static void* opened(void* arg) {
  pthread_mutex_lock(&mutex);
  state = OPEN;
  pthread_mutex_unlock(&mutex);
  return arg;
}

static void* data(void* arg) {
  pthread_mutex_lock(&mutex);
  if (state != OPEN) {
    fprintf(stderr, "data on a closed connection\n");
    abort();
  }
  bytes += 10;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void) {
  pthread_t a, b;
  if (pthread_create(&a, NULL, opened, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, data, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return bytes == 10 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
