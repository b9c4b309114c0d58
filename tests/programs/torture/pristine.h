// What the torture programs share. Each changes a piece of state that outlives a run if the rewind
// forgets it, and first of all checks that the piece is as a new process finds it.
#ifndef PRISTINE_H
#define PRISTINE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition)                                                         \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: expected: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                  \
    }                                                                           \
  } while (0)

// The same test with the other meaning: an earlier run left something behind.
#define PRISTINE(condition) MUST(condition)

typedef void* (*pristine_function)(void*);

// Runs the function in `count` threads at once; its argument is the thread's number.
__attribute__((unused)) static void in_threads(long count, pristine_function function) {
  pthread_t threads[40];
  for (long i = 0; i < count; i++) {
    MUST(pthread_create(&threads[i], NULL, function, (void*)i) == 0);
  }
  for (long i = 0; i < count; i++) MUST(pthread_join(threads[i], NULL) == 0);
}

#endif

// SPDX-License-Identifier: Apache-2.0
