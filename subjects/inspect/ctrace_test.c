// A tracing library and a test of it: two threads call traced functions, every entry and exit
// becomes a record.
//
// Wrong: the next free place among the records is found and taken without a lock.
// Shown when: both threads find the same place, anywhere in the test: one record overwrites the
// other.
// Failure: assert (records are missing in the end).
// From: "Inspect/ctrace-test" of SCTBench and the reads-from fuzzer paper: the library is ctrace.
// The tables only name it; this is our reading.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kThreads = 2, kDepth = 4, kRecords = kThreads * kDepth * 2 };

enum what { kEnter, kExit };

struct record {
  pthread_t thread;
  const char* function;
  enum what what;
};

static struct {
  pthread_mutex_t lock;
  struct record records[kRecords];
  int used;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_record(const char* function, enum what what) {
#ifdef FIXED
  pthread_mutex_lock(&trace.lock);
#endif
  const int place = trace.used;
  trace.records[place] = (struct record){pthread_self(), function, what};
  trace.used = place + 1;
#ifdef FIXED
  pthread_mutex_unlock(&trace.lock);
#endif
}

static void traced(int depth) {
  add_record(__func__, kEnter);
  if (depth > 1) traced(depth - 1);
  add_record(__func__, kExit);
}

static void* test(void* arg) {
  traced(kDepth);
  return arg;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, test, NULL);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  assert(trace.used == kRecords);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
