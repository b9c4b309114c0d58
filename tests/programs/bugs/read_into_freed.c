// fails: heap use-after-free (some schedules)
// The reader's buffer is given back by whoever closes the connection. Shown when the close comes
// before the read: the kernel writes into freed memory.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static char* buffer;

static void* receive(void* arg) {
  if (read(ends[0], buffer, 16) != 16) abort();
  return arg;
}

static void* hang_up(void* arg) {
  free(buffer);
  return arg;
}

int main(void) {
  pthread_t a, b;
  buffer = malloc(16);
  if (!buffer || pipe(ends) != 0) return 2;
  if (write(ends[1], "sixteen bytes...", 16) != 16) return 2;
  if (pthread_create(&a, NULL, receive, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, hang_up, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
