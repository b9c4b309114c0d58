// fails: never
// read_into_freed with the buffer given back when the reader is done.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static char* buffer;

static void* receive(void* arg) {
  if (read(ends[0], buffer, 16) != 16) abort();
  return arg;
}

int main(void) {
  pthread_t a;
  buffer = malloc(16);
  if (!buffer || pipe(ends) != 0) return 2;
  if (write(ends[1], "sixteen bytes...", 16) != 16) return 2;
  if (pthread_create(&a, NULL, receive, NULL) != 0) return 2;
  pthread_join(a, NULL);
  free(buffer);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
