// A stack under a lock: one thread pushes, one pops.
//
// Wrong: a flag that says "something was pushed" is never taken back, so that it does not mean
// "there is something to pop".
// Shown when: after the first push the popping thread is ahead of the pushing one.
// Failure: assert.
// From: SCTBench "CS.stack".
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kSize = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elements[kSize];
static int top;
static bool pushed;

static void push(int value) {
  assert(top < kSize);
  elements[top++] = value;
}

static int pop(void) {
  assert(top > 0);
  return elements[--top];
}

static void* push_all(void* arg) {
  for (int i = 0; i < kSize; i++) {
    pthread_mutex_lock(&lock);
    push(i);
    pushed = true;
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

static void* pop_all(void* arg) {
  int* sum = arg;
  for (int i = 0; i < kSize; i++) {
    pthread_mutex_lock(&lock);
    if (pushed) {
      *sum += pop();
#ifdef FIXED
      pushed = top > 0;
#endif
    }
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t pusher, popper;
  int sum = 0;
  pthread_create(&pusher, NULL, push_all, NULL);
  pthread_create(&popper, NULL, pop_all, &sum);
  pthread_join(pusher, NULL);
  pthread_join(popper, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
