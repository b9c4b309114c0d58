// fails: heap overflow (some schedules)
// The length is read again after the buffer was made for it. Shown when the message grows between:
// the copy is longer than the buffer.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char message[64] = "a message that grows while it is copied";
static atomic_size_t length = 16;

static void* grow(void* arg) {
  atomic_store(&length, 40);
  return arg;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, grow, NULL) != 0) return 2;
  char* copy = malloc(atomic_load(&length));
  if (!copy) return 2;
  memcpy(copy, message, atomic_load(&length));
  pthread_join(t, NULL);
  int wrong = strncmp(copy, message, 16) != 0;
  free(copy);
  return wrong;
}

// SPDX-License-Identifier: Apache-2.0
