// Mappings: anonymous, shared file, protection, mremap, munmap; made in one thread and used in
// others.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../check.h"

enum { kThreads = 4, kPages = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int* shared;
static long page;

static void* use(void* arg) {
  int id = *(int*)arg;
  for (int i = 0; i < 20; i++) {
    char* own = mmap(NULL, (size_t)page * kPages, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(own != MAP_FAILED);
    for (long k = 0; k < page * kPages; k += 512) {
      CHECK_EQ(own[k], 0);  // fresh pages are zero
      own[k] = (char)id;
    }
    char* moved = mremap(own, (size_t)page * kPages, (size_t)page * kPages * 2, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED);
    for (long k = 0; k < page * kPages; k += 512) CHECK_EQ(moved[k], id);
    CHECK_EQ(moved[page * kPages], 0);
    CHECK_OK(mprotect(moved, (size_t)page, PROT_READ));
    CHECK_EQ(moved[0], id);
    CHECK_OK(madvise(moved + page, (size_t)page, MADV_DONTNEED));
    CHECK_EQ(moved[page], 0);
    CHECK_OK(munmap(moved, (size_t)page * kPages * 2));
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    shared[0]++;
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return NULL;
}

int main(void) {
  page = sysconf(_SC_PAGESIZE);
  char name[] = "/tmp/check-mmap-XXXXXX";
  int fd = mkstemp(name);
  CHECK(fd >= 0);
  CHECK_OK(unlink(name));
  CHECK_OK(ftruncate(fd, page));
  shared = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(shared != MAP_FAILED);
  pthread_t t[kThreads];
  int ids[kThreads];
  for (int i = 0; i < kThreads; i++) {
    ids[i] = i + 1;
    CHECK_RC(pthread_create(&t[i], NULL, use, &ids[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(shared[0], kThreads * 20);
  CHECK_OK(msync(shared, (size_t)page, MS_SYNC));
  int stored = 0;
  CHECK_EQ(pread(fd, &stored, sizeof stored, 0), sizeof stored);
  CHECK_EQ(stored, kThreads * 20);
  CHECK_OK(munmap(shared, (size_t)page));
  errno = 0;
  CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  CHECK_EQ(errno, EINVAL);
  CHECK_ERRNO(munmap((void*)1, (size_t)page), EINVAL);
  return check_passed("heap_mmap");
}

// SPDX-License-Identifier: Apache-2.0
