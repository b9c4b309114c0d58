// Plain reads and writes of 1, 2, 4, 8 and 16 bytes, aligned: __tsan_read1 … __tsan_write16.
// Two threads touch disjoint objects through pointers the compiler cannot see through.
#include <pthread.h>
#include <stdint.h>

#include "../check.h"

typedef unsigned __int128 u128;

#define ACCESS(name, type)                                                        \
  __attribute__((noinline)) static type read_##name(const type* p) { return *p; } \
  __attribute__((noinline)) static void write_##name(type* p, type v) { *p = v; } \
  __attribute__((noinline)) static void add_##name(type* p, type v) { *p += v; }

ACCESS(1, uint8_t)
ACCESS(2, uint16_t)
ACCESS(4, uint32_t)
ACCESS(8, uint64_t)
ACCESS(16, u128)
ACCESS(float, float)
ACCESS(double, double)
ACCESS(long_double, long double)
ACCESS(bool, _Bool)

struct all {
  uint8_t a;
  uint16_t b;
  uint32_t c;
  uint64_t d;
  u128 e;
  float f;
  double g;
  long double h;
  _Bool i;
};

static struct all cells[2];

static void* work(void* arg) {
  struct all* s = arg;
  u128 big = ((u128)0x1122334455667788u << 64) | 0x99aabbccddeeff00u;
  write_1(&s->a, 0xfe);
  write_2(&s->b, 0xfffe);
  write_4(&s->c, 0xfffffffe);
  write_8(&s->d, 0xfffffffffffffffe);
  write_16(&s->e, big);
  write_float(&s->f, 1.5f);
  write_double(&s->g, 2.5);
  write_long_double(&s->h, 3.5L);
  write_bool(&s->i, 0);
  add_1(&s->a, 3);
  add_2(&s->b, 3);
  add_4(&s->c, 3);
  add_8(&s->d, 3);
  add_16(&s->e, 1);
  add_float(&s->f, 1);
  add_double(&s->g, 1);
  add_long_double(&s->h, 1);
  add_bool(&s->i, 1);
  CHECK_EQ(read_1(&s->a), 1);
  CHECK_EQ(read_2(&s->b), 1);
  CHECK_EQ(read_4(&s->c), 1);
  CHECK_EQ(read_8(&s->d), 1);
  CHECK(read_16(&s->e) == big + 1);
  CHECK(read_float(&s->f) == 2.5f);
  CHECK(read_double(&s->g) == 3.5);
  CHECK(read_long_double(&s->h) == 4.5L);
  CHECK(read_bool(&s->i));
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, work, &cells[1]), 0);
  work(&cells[0]);
  CHECK_RC(pthread_join(t, NULL), 0);
  CHECK(cells[0].e == cells[1].e);
  return check_passed("hooks_plain");
}

// SPDX-License-Identifier: Apache-2.0
