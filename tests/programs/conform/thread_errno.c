// errno and __thread variables belong to one thread, whatever others do between.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>

#include "../check.h"

enum { kThreads = 6, kRounds = 50 };

static __thread int mine = 123;
static _Thread_local char block[300];

static void* body(void* arg) {
  int code = *(int*)arg;
  CHECK_EQ(mine, 123);
  for (int i = 0; i < (int)sizeof block; i++) CHECK_EQ(block[i], 0);
  for (int i = 0; i < kRounds; i++) {
    errno = code;
    mine = code * 1000 + i;
    memset(block, code, sizeof block);
    sched_yield();
    CHECK_EQ(errno, code);
    CHECK_EQ(mine, code * 1000 + i);
    for (int k = 0; k < (int)sizeof block; k++) CHECK_EQ(block[k], code);
    CHECK_ERRNO(open("/does/not/exist", O_RDONLY), ENOENT);
    CHECK_ERRNO(close(-1), EBADF);
  }
  return &mine;
}

int main(void) {
  pthread_t t[kThreads];
  int code[kThreads];
  for (int round = 0; round < 3; round++) {  // later threads may reuse what earlier ones left
    for (int i = 0; i < kThreads; i++) {
      code[i] = i + 1;
      CHECK_RC(pthread_create(&t[i], NULL, body, &code[i]), 0);
    }
    for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  }
  CHECK_EQ(mine, 123);
  return check_passed("thread_errno");
}

// SPDX-License-Identifier: Apache-2.0
