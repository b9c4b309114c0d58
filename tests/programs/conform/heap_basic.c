// malloc and its kin: contents survive, sizes round up, zeroing, zero and huge sizes, alignment.
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"

// Hides a size from the optimiser, which knows what malloc does.
static size_t opaque(size_t n) {
  __asm__ volatile("" : "+r"(n));
  return n;
}

// And a pointer: a compiler may drop a malloc that nobody looks at.
static void* seen(void* p) {
  __asm__ volatile("" : "+r"(p) : : "memory");
  return p;
}

static void aligned(void* p, size_t alignment, size_t size) {
  CHECK(p != NULL);
  CHECK_EQ((uintptr_t)p % alignment, 0);
  CHECK(malloc_usable_size(p) >= size);
  memset(p, 0x5a, size);
}

static void contents(void) {
  unsigned char* p = malloc(opaque(1));
  aligned(p, 16, 1);
  p[0] = 0;
  for (size_t n = 1; n < 200000; n = n * 3 / 2 + 1) {  // growing keeps what was there
    size_t next = n * 3 / 2 + 1;
    p = realloc(p, opaque(next));
    CHECK(p);
    CHECK_EQ((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < n; i += 97) CHECK_EQ(p[i], (unsigned char)(i * 7));
    for (size_t i = 0; i < next; i++) p[i] = (unsigned char)(i * 7);
  }
  p = realloc(p, opaque(100));  // shrinking too
  CHECK(p);
  for (size_t i = 0; i < 100; i++) CHECK_EQ(p[i], (unsigned char)(i * 7));
  free(p);

  for (int round = 0; round < 5; round++) {  // dirty memory must come back clean from calloc
    for (size_t n = 8; n < 300000; n *= 4) {
      unsigned char* q = seen(malloc(opaque(n)));
      CHECK(q);
      memset(q, 0xff, n);
      free(seen(q));
      q = seen(calloc(opaque(n / 8), 8));
      CHECK(q);
      for (size_t i = 0; i < n; i++) CHECK_EQ(q[i], 0);
      free(q);
    }
  }
  int* numbers = reallocarray(NULL, opaque(10), sizeof(int));
  CHECK(numbers);
  free(numbers);
}

static void edges(void) {
  void *a = seen(malloc(opaque(0))), *b = seen(malloc(opaque(0)));
  CHECK(a && b && a != b);  // glibc: unique pointers
  free(a);
  free(b);
  free(NULL);
  a = seen(calloc(opaque(0), 5));
  CHECK(a);
  free(a);
  a = realloc(NULL, opaque(20));
  CHECK(a);
  free(a);
  errno = 0;
  CHECK(seen(malloc(opaque(SIZE_MAX / 2))) == NULL);
  CHECK_EQ(errno, ENOMEM);
  errno = 0;
  CHECK(seen(calloc(opaque(SIZE_MAX / 2), 4)) == NULL);
  CHECK_EQ(errno, ENOMEM);
  errno = 0;
  CHECK(seen(reallocarray(NULL, opaque(SIZE_MAX / 2), 4)) == NULL);
  CHECK_EQ(errno, ENOMEM);
  a = malloc(opaque(16));
  CHECK(a);
  memcpy(a, "still here 12345", 16);
  errno = 0;
  void* grown = seen(realloc(a, opaque(SIZE_MAX / 2)));
  CHECK(grown == NULL);
  CHECK_EQ(errno, ENOMEM);
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuse-after-free"
#endif
  CHECK_EQ(memcmp(a, "still here 12345", 16), 0);  // a failed realloc leaves the block
  free(a);
#pragma GCC diagnostic pop
}

static void alignments(void) {
  for (size_t alignment = sizeof(void*); alignment <= 65536; alignment *= 2) {
    void* p = NULL;
    CHECK_RC(posix_memalign(&p, alignment, 100), 0);
    aligned(p, alignment, 100);
    free(p);
    p = aligned_alloc(alignment, 2 * alignment);
    aligned(p, alignment, 2 * alignment);
    p = realloc(p, 3 * alignment);
    CHECK(p);
    free(p);
    p = memalign(alignment, 33);
    aligned(p, alignment, 33);
    free(p);
  }
  void* p = valloc(100);
  aligned(p, 4096, 100);
  free(p);
  p = pvalloc(1);
  aligned(p, 4096, 4096);
  free(p);
  CHECK_RC(posix_memalign(&p, 24, 8), EINVAL);
  CHECK_RC(posix_memalign(&p, 2, 8), EINVAL);
  CHECK_RC(posix_memalign(&p, 16, opaque(SIZE_MAX / 2)), ENOMEM);
  CHECK_EQ(malloc_usable_size(NULL), 0);
}

int main(void) {
  contents();
  edges();
  alignments();
  return check_passed("heap_basic");
}

// SPDX-License-Identifier: Apache-2.0
