#include <pthread.h>
#include <stdio.h>

#include "checksum.h"
#include "queue.h"

static void* producer(void* queue) {
  queue_push(queue, 42);
  return NULL;
}

int main(void) {
  struct queue* queue = queue_new();
  pthread_t thread;
  if (pthread_create(&thread, NULL, producer, queue) != 0) return 1;
  int value = queue_pop(queue);
  pthread_join(thread, NULL);
  queue_free(queue);
  if (value != 42 || queue_digest("ab") != checksum("ab")) {
    puts("queue_test failed");
    return 1;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
