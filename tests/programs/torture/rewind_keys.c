// Keys: made, set in main and threads, with destructors that set them again; none deleted.
#include "pristine.h"

static pthread_key_t keys[64];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, destroyed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void destroy(void* value) {
  pthread_mutex_lock(&lock);
  destroyed++;
  pthread_mutex_unlock(&lock);
  free(value);
}

static void make(void) {
  PRISTINE(made == 0);
  for (int i = 0; i < 64; i++) {
    MUST(pthread_key_create(&keys[i], destroy) == 0);
    PRISTINE(pthread_getspecific(keys[i]) == NULL);
  }
  made = 1;
}

static void* work(void* number) {
  pthread_once(&once, make);
  for (int i = 0; i < 64; i += 7) {
    PRISTINE(pthread_getspecific(keys[i]) == NULL);
    MUST(pthread_setspecific(keys[i], malloc(10 + (size_t)number)) == 0);
  }
  return NULL;
}

int main(void) {
  PRISTINE(made == 0 && destroyed == 0);
  pthread_key_t first;
  MUST(pthread_key_create(&first, NULL) == 0);
  PRISTINE(pthread_getspecific(first) == NULL);
  pthread_setspecific(first, &first);
  static pthread_key_t expected;
  PRISTINE(expected == 0);
  expected = first + 1;
  in_threads(3, work);
  MUST(keys[0] == expected && destroyed == 30);
  pthread_setspecific(keys[1], malloc(5));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
