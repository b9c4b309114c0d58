// pthread_atfork: prepare handlers last registered first, the others first registered first, on
// both sides; a mutex kept consistent by them.
#include <pthread.h>
#include <sys/wait.h>

#include "../check.h"

enum { kThreads = 3, kRounds = 20 };

static char order[32];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int left, right;

static void note(char c) {
  size_t n = strlen(order);
  order[n] = c;
  order[n + 1] = 0;
}
static void prepare1(void) { note('p'); }
static void parent1(void) { note('a'); }
static void child1(void) { note('c'); }
static void prepare2(void) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  note('P');
}
static void parent2(void) {
  note('A');
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
}
static void child2(void) {
  note('C');
  // The child has no other threads, also while its handlers run.
  int seen = left;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < 10; i++) CHECK_EQ(left, seen);
}

static void* changes(void* arg) {
  for (int i = 0; i < kRounds; i++) {
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    left++;
    right++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return arg;
}

int main(void) {
  CHECK_RC(pthread_atfork(prepare1, parent1, child1), 0);
  CHECK_RC(pthread_atfork(prepare2, parent2, child2), 0);
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, changes, NULL), 0);
  for (int i = 0; i < 5; i++) {
    order[0] = 0;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
      // Whatever the other threads were doing, the mutex is ours to take and what it guards is
      // whole.
      CHECK_EQ(strcmp(order, "PpcC"), 0);
      CHECK_RC(pthread_mutex_lock(&mutex), 0);
      CHECK_EQ(left, right);
      CHECK_RC(pthread_mutex_unlock(&mutex), 0);
      _exit(3);
    }
    CHECK_EQ(strcmp(order, "PpaA"), 0);
    int status = -1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(WEXITSTATUS(status), 3);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(left, kThreads * kRounds);
  return check_passed("proc_atfork");
}

// SPDX-License-Identifier: Apache-2.0
