// Eleven threads write one character; all but one write the same.
//
// Wrong: nothing orders them, but the program expects the character of the many.
// Shown when: the one comes last.
// Failure: assert.
// From: SV-COMP "singleton" with its expectation turned round; "singleton_b" of Taming pthreads.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kMany = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char value;

static void* write_x(void* arg) {
  pthread_mutex_lock(&lock);
  value = 'X';
  pthread_mutex_unlock(&lock);
  return arg;
}

static void* write_y(void* arg) {
  pthread_mutex_lock(&lock);
  value = 'Y';
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t one, many[kMany];
  pthread_create(&one, NULL, write_x, NULL);
#ifdef FIXED
  pthread_join(one, NULL);
#endif
  for (int i = 0; i < kMany; i++) pthread_create(&many[i], NULL, write_y, NULL);
#ifndef FIXED
  pthread_join(one, NULL);
#endif
  for (int i = 0; i < kMany; i++) pthread_join(many[i], NULL);
  assert(value == 'Y');
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
