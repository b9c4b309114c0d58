// Decisions taken on memory that nobody has written: what malloc gives is the same in every run.
#include <string.h>

#include "pristine.h"

static int shared_sum;
static char* before_main_block;

__attribute__((constructor)) static void before_main(void) {
  before_main_block = malloc(3000);
  memset(before_main_block, 1, 3000);
  free(before_main_block);
}

static unsigned long digest(const volatile unsigned char* p, size_t size) {
  unsigned long value = 0;
  for (size_t i = 0; i < size; i += 8) value = value * 31 + p[i];
  return value;
}

// Each step is an access of shared memory: another value is another trace.
static void decide(unsigned long value) {
  for (unsigned long i = 0; i < value % 17; i++) __atomic_fetch_add(&shared_sum, 1, __ATOMIC_SEQ_CST);
}

static void* work(void* number) {
  for (size_t size = 40; size < 40000; size *= 3) {
    unsigned char* p = malloc(size);
    __asm__ volatile("" : "+r"(p) : : "memory");
    decide(digest(p, size));
    memset(p, (int)(long)number + 1, size);
    if (size % 2) free(p);
  }
  return NULL;
}

int main(void) {
  PRISTINE(shared_sum == 0);
  in_threads(2, work);
  work(NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
