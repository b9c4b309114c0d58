// Creating and joining: arguments and return values travel, join orders memory, identities differ.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { kThreads = 16 };

static int plain[kThreads];  // ordered by create and join alone

static void* square(void* arg) {
  intptr_t i = (intptr_t)arg;
  CHECK_EQ(plain[i], (int)i);
  plain[i] *= (int)i;
  return (void*)(i * i);
}

static void* store_self(void* arg) {
  *(pthread_t*)arg = pthread_self();
  return NULL;
}

static void* join_own_self(void* arg) {
  (void)arg;
  CHECK_RC(pthread_join(pthread_self(), NULL), EDEADLK);
  return (void*)7;
}

static void* exit_early(void* arg) {
  pthread_exit(arg);
  return (void*)-2;
}

static void* join_other(void* arg) {
  void* result = NULL;
  CHECK_RC(pthread_join(*(pthread_t*)arg, &result), 0);
  return result;
}

int main(void) {
  pthread_t t[kThreads];
  for (intptr_t i = 0; i < kThreads; i++) {
    plain[i] = (int)i;
    CHECK_RC(pthread_create(&t[i], NULL, square, (void*)i), 0);
  }
  for (int i = 0; i < kThreads; i++) {
    for (int j = 0; j < i; j++) CHECK(!pthread_equal(t[i], t[j]));
    CHECK(!pthread_equal(t[i], pthread_self()));
  }
  for (intptr_t i = kThreads - 1; i >= 0; i--) {  // any order of joining
    void* result = NULL;
    CHECK_RC(pthread_join(t[i], &result), 0);
    CHECK_EQ((intptr_t)result, i * i);
    CHECK_EQ(plain[i], (int)(i * i));
  }

  // The id that create stores is the id the thread sees itself.
  pthread_t seen, made;
  CHECK_RC(pthread_create(&made, NULL, store_self, &seen), 0);
  CHECK_RC(pthread_join(made, NULL), 0);
  CHECK(pthread_equal(seen, made));
  CHECK(pthread_equal(pthread_self(), pthread_self()));

  void* result = NULL;
  CHECK_RC(pthread_create(&made, NULL, join_own_self, NULL), 0);
  CHECK_RC(pthread_join(made, &result), 0);
  CHECK_EQ((intptr_t)result, 7);
  CHECK_RC(pthread_join(pthread_self(), NULL), EDEADLK);

  int local = 0;
  CHECK_RC(pthread_create(&made, NULL, exit_early, &local), 0);
  CHECK_RC(pthread_join(made, &result), 0);
  CHECK(result == &local);

  // A thread other than the creator joins.
  pthread_t joiner;
  CHECK_RC(pthread_create(&made, NULL, exit_early, &local), 0);
  CHECK_RC(pthread_create(&joiner, NULL, join_other, &made), 0);
  result = NULL;
  CHECK_RC(pthread_join(joiner, &result), 0);
  CHECK(result == &local);
  return check_passed("thread_create_join");
}

// SPDX-License-Identifier: Apache-2.0
