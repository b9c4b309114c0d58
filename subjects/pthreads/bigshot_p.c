// One thread allocates a string, another fills it in.
//
// Wrong: nothing orders the two. The one that fills in skips a string that is not there yet.
// Shown when: the second thread looks first: the string exists in the end, but is empty.
// Failure: assert.
// From: SV-COMP "bigshot_p"; "bigshot_p" of Taming pthreads.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static char* text;
#ifdef FIXED
static pthread_t allocator;
#endif

static void* allocate(void* arg) {
  text = calloc(8, 1);
  return arg;
}

static void* fill_in(void* arg) {
#ifdef FIXED
  pthread_join(allocator, NULL);
#endif
  if (text != NULL) strcpy(text, "Bigshot");
  return arg;
}

int main(void) {
  pthread_t filler;
#ifndef FIXED
  pthread_t allocator;
#endif
  pthread_create(&allocator, NULL, allocate, NULL);
  pthread_create(&filler, NULL, fill_in, NULL);
#ifndef FIXED
  pthread_join(allocator, NULL);
#endif
  pthread_join(filler, NULL);
  assert(text == NULL || text[0] == 'B');
  free(text);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
