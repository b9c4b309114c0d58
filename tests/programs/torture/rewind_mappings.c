// Mappings of the program's own: left behind, cut, grown, protected, shared, at chosen addresses.
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pristine.h"

static char* first;
static char* chosen = (char*)0x500000000000;
static size_t page;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char* map(size_t size, int flags) {
  char* p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  MUST(p != MAP_FAILED && p[0] == 0 && p[size - 1] == 0);
  memset(p, 7, size);
  return p;
}

static int is_mapped(const void* address) {
  unsigned char there;
  return mincore((void*)address, page, &there) == 0;
}

static void* work(void* number) {
  pthread_mutex_lock(&lock);
  char* p = map(8 * page, MAP_PRIVATE);
  MUST(munmap(p + 2 * page, page) == 0);
  MUST(mprotect(p, page, PROT_NONE) == 0);
  char* q = mremap(p + 4 * page, 2 * page, 64 * page, MREMAP_MAYMOVE);
  MUST(q != MAP_FAILED && q[0] == 7 && q[2 * page] == 0);
  map(3 * page, MAP_SHARED)[0] = (char)(intptr_t)number;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  PRISTINE(first == NULL && !is_mapped(chosen));
  first = map(page, MAP_PRIVATE);
  PRISTINE((uintptr_t)first == 0x700000000000 || getenv("PLAIN"));
  in_threads(2, work);
  // A hint, and an address that must be.
  char* hinted = mmap(chosen, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(hinted == chosen && chosen[0] == 0);
  chosen[0] = 1;
  char* fixed = mmap(chosen + page, page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  MUST(fixed == chosen + page && fixed[0] == 0);
  fixed[0] = 1;
  // Right behind a mapping of before main: the kernel makes one of both.
  static char* behind_image;
  PRISTINE(behind_image == NULL);
  behind_image = map(page, MAP_PRIVATE);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
