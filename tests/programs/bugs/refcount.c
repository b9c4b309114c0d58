// fails: heap double-free (some schedules)
// A reference count that is decremented and read in two steps. Shown when both owners decrement
// before either reads zero.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct image {
  atomic_int references;
  char pixels[64];
};

static void release(struct image* image) {
  atomic_fetch_sub(&image->references, 1);
  if (atomic_load(&image->references) == 0) free(image);
}

static void* owner(void* arg) {
  release(arg);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  struct image* image = calloc(1, sizeof *image);
  if (!image) return 2;
  atomic_store(&image->references, 2);
  if (pthread_create(&a, NULL, owner, image) != 0) return 2;
  if (pthread_create(&b, NULL, owner, image) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
