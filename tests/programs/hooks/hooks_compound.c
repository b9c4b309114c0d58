// build(clang): -mllvm -tsan-compound-read-before-write=1
// A read and a write of the same place in one hook: __tsan_read_write1 … 16 and
// __tsan_unaligned_read_write2 … 16 (clang, with the option above). gcc emits two hooks.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

typedef unsigned __int128 u128;

struct __attribute__((packed)) tight {
  uint8_t pad;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  u128 sixteen;
};

struct cell {
  uint8_t one;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  u128 sixteen;
  struct tight tight;
};

static struct cell cells[2];

__attribute__((noinline)) static void bump(struct cell* s) {
  s->one++;
  s->two += 2;
  s->four ^= 3;
  s->eight -= 4;
  s->sixteen *= 3;
  s->tight.two++;
  s->tight.four++;
  s->tight.eight++;
  s->tight.sixteen++;
}

static void* work(void* arg) {
  struct cell* s = arg;
  s->sixteen = 1;
  for (int i = 0; i < 10; i++) bump(s);
  CHECK_EQ(s->one, 10);
  CHECK_EQ(s->two, 20);
  CHECK_EQ(s->four, 0);
  CHECK_EQ(s->eight, -40);
  CHECK_EQ(s->sixteen, 59049);
  CHECK_EQ(s->tight.two, 10);
  CHECK_EQ(s->tight.four, 10);
  CHECK_EQ(s->tight.eight, 10);
  CHECK_EQ(s->tight.sixteen, 10);
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, work, &cells[1]), 0);
  work(&cells[0]);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("hooks_compound");
}

// SPDX-License-Identifier: Apache-2.0
