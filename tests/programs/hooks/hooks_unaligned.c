// Accesses whose alignment the compiler knows to be too small: __tsan_unaligned_read2 … _write16
// (clang), __tsan_read_range / __tsan_write_range (gcc).
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
  float f;
  double d;
  void* p;
};

static struct packed cells[2];

#define ACCESS(field, type)                                                                       \
  __attribute__((noinline)) static type read_##field(const struct packed* p) { return p->field; } \
  __attribute__((noinline)) static void write_##field(struct packed* p, type v) { p->field = v; } \
  __attribute__((noinline)) static void bump_##field(struct packed* p) { p->field += 1; }

ACCESS(two, uint16_t)
ACCESS(four, uint32_t)
ACCESS(eight, uint64_t)
ACCESS(sixteen, u128)
ACCESS(f, float)
ACCESS(d, double)

__attribute__((noinline)) static void write_p(struct packed* s, void* v) { s->p = v; }
__attribute__((noinline)) static void* read_p(const struct packed* s) { return s->p; }

static void* work(void* arg) {
  struct packed* s = arg;
  write_two(s, 0xfffe);
  write_four(s, 0xfffffffe);
  write_eight(s, 0xfffffffffffffffe);
  write_sixteen(s, ~(u128)1);
  write_f(s, 0.5f);
  write_d(s, 0.25);
  write_p(s, s);
  bump_two(s);
  bump_four(s);
  bump_eight(s);
  bump_sixteen(s);
  bump_f(s);
  bump_d(s);
  CHECK_EQ(read_two(s), 0xffff);
  CHECK_EQ(read_four(s), 0xffffffff);
  CHECK(read_eight(s) == UINT64_MAX);
  CHECK(read_sixteen(s) == ~(u128)0);
  CHECK(read_f(s) == 1.5f);
  CHECK(read_d(s) == 1.25);
  CHECK(read_p(s) == s);
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_EQ(sizeof(struct packed), 1 + 2 + 4 + 8 + 16 + 4 + 8 + sizeof(void*));
  CHECK_RC(pthread_create(&t, NULL, work, &cells[1]), 0);
  work(&cells[0]);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("hooks_unaligned");
}

// SPDX-License-Identifier: Apache-2.0
