// Whole-object copies and sizes that are no power of two: __tsan_read_range / __tsan_write_range
// (gcc),
// __tsan_memcpy / __tsan_memset or member-wise hooks (clang); bit-fields; variable-length arrays.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"

struct three {
  unsigned char b[3];
};
struct twelve {
  uint32_t w[3];
};
struct big {
  uint64_t w[40];
};
struct bits {
  unsigned a : 3;
  unsigned b : 13;
  unsigned long long c : 37;
  int d : 5;
};

__attribute__((noinline)) static void copy3(struct three* to, const struct three* from) {
  *to = *from;
}
__attribute__((noinline)) static void copy12(struct twelve* to, const struct twelve* from) {
  *to = *from;
}
__attribute__((noinline)) static void copy_big(struct big* to, const struct big* from) {
  *to = *from;
}
__attribute__((noinline)) static void clear_big(struct big* to) { *to = (struct big){{0}}; }
__attribute__((noinline)) static struct big return_big(const struct big* from) { return *from; }
__attribute__((noinline)) static void set_bits(struct bits* s, unsigned v) {
  s->a = v;
  s->b = v * 3;
  s->c = v * 7ull;
  s->d = -(int)(v & 7);
}
__attribute__((noinline)) static void copy_complex(_Complex double* to,
                                                   const _Complex double* from) {
  *to = *from;
}

static void* work(void* arg) {
  (void)arg;
  struct three *t1 = malloc(sizeof *t1), *t2 = malloc(sizeof *t2);
  struct twelve *w1 = malloc(sizeof *w1), *w2 = malloc(sizeof *w2);
  struct big *b1 = malloc(sizeof *b1), *b2 = malloc(sizeof *b2);
  struct bits* s = calloc(1, sizeof *s);
  _Complex double *c1 = malloc(sizeof *c1), *c2 = malloc(sizeof *c2);
  CHECK(t1 && t2 && w1 && w2 && b1 && b2 && s && c1 && c2);
  for (int i = 0; i < 3; i++) {
    t1->b[i] = (unsigned char)(i + 1);
    w1->w[i] = (uint32_t)i + 10;
  }
  for (int i = 0; i < 40; i++) b1->w[i] = (uint64_t)i * i;
  copy3(t2, t1);
  copy12(w2, w1);
  copy_big(b2, b1);
  CHECK(memcmp(t1, t2, sizeof *t1) == 0);
  CHECK(memcmp(w1, w2, sizeof *w1) == 0);
  CHECK(memcmp(b1, b2, sizeof *b1) == 0);
  clear_big(b2);
  for (int i = 0; i < 40; i++) CHECK_EQ(b2->w[i], 0);
  *b2 = return_big(b1);
  CHECK_EQ(b2->w[39], 39 * 39);
  for (unsigned v = 0; v < 8; v++) {
    set_bits(s, v);
    CHECK_EQ(s->a, v);
    CHECK_EQ(s->b, v * 3);
    CHECK_EQ(s->c, v * 7);
    CHECK_EQ(s->d, -(int)v);
  }
  *c1 = 1.5;
  copy_complex(c2, c1);
  CHECK(*c2 == 1.5);
  free(t1), free(t2), free(w1), free(w2), free(b1), free(b2), free(s), free(c1), free(c2);
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, work, NULL), 0);
  work(NULL);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("hooks_range");
}

// SPDX-License-Identifier: Apache-2.0
