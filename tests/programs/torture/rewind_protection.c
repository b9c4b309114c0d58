// Heap pages that the program protects and leaves so.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pristine.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* guard(void* number) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  pthread_mutex_lock(&lock);
  char* block = aligned_alloc(page, 4 * page);
  PRISTINE(block[0] == 0 && block[page] == 0 && block[3 * page] == 0);
  memset(block, 1 + (int)(long)number, 4 * page);
  MUST(mprotect(block + page, page, PROT_NONE) == 0);
  MUST(mprotect(block + 3 * page, page, PROT_READ) == 0);
  MUST(block[3 * page] == 1 + (int)(long)number);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  in_threads(2, guard);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
