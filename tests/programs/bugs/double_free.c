// fails: heap double-free (some schedules)
// Two owners who each free the buffer if it is still there. Shown when both check before either
// clears the pointer.
#include <pthread.h>
#include <stdlib.h>

static char* buffer;

static void* release(void* arg) {
  if (buffer != NULL) {
    free(buffer);
    buffer = NULL;
  }
  return arg;
}

int main(void) {
  pthread_t a, b;
  buffer = malloc(100);
  if (pthread_create(&a, NULL, release, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, release, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return buffer == NULL ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
