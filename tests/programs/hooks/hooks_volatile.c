// build(gcc): --param=tsan-distinguish-volatile=1
// build(clang): -mllvm -tsan-distinguish-volatile=1
// Volatile accesses, told apart from plain ones by the options above: __tsan_volatile_* (and, clang
// only,
// __tsan_unaligned_volatile_*). Without the options they are plain hooks.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

typedef unsigned __int128 u128;

struct __attribute__((packed)) packed {
  uint8_t pad;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  u128 sixteen;
};

struct cell {
  volatile uint8_t one;
  volatile uint16_t two;
  volatile uint32_t four;
  volatile uint64_t eight;
  volatile u128 sixteen;
  volatile struct packed tight;
};

static struct cell cells[2];

static void* work(void* arg) {
  struct cell* s = arg;
  for (int i = 1; i <= 10; i++) {
    s->one = s->one + 1;
    s->two = s->two + 1;
    s->four = s->four + 1;
    s->eight = s->eight + 1;
    s->sixteen = s->sixteen + 1;
    s->tight.pad = s->tight.pad + 1;
    s->tight.two = s->tight.two + 1;
    s->tight.four = s->tight.four + 1;
    s->tight.eight = s->tight.eight + 1;
    s->tight.sixteen = s->tight.sixteen + 1;
    CHECK_EQ(s->one, i);
    CHECK_EQ(s->two, i);
    CHECK_EQ(s->four, i);
    CHECK_EQ(s->eight, i);
    CHECK_EQ(s->sixteen, i);
    CHECK_EQ(s->tight.pad, i);
    CHECK_EQ(s->tight.two, i);
    CHECK_EQ(s->tight.four, i);
    CHECK_EQ(s->tight.eight, i);
    CHECK_EQ(s->tight.sixteen, i);
  }
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, work, &cells[1]), 0);
  work(&cells[0]);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("hooks_volatile");
}

// SPDX-License-Identifier: Apache-2.0
