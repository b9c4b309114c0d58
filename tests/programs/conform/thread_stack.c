// Stacks: the size asked for can be used to the full, pthread_getattr_np tells the bounds, a
// caller's own stack is used.
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../check.h"

// Touches every page of the given number of bytes below the current frame.
__attribute__((noinline)) static size_t use_stack(size_t bytes) {
  volatile char* room = alloca(bytes);
  size_t touched = 0;
  for (size_t i = 0; i < bytes; i += 1024) {
    room[bytes - 1 - i] = (char)i;
    touched++;
  }
  return touched;
}

static void check_bounds(size_t at_least, int expect_detached) {
  pthread_attr_t a;
  void* low = NULL;
  size_t size = 0, guard = 1;
  int state = -1;
  char local;
  CHECK_RC(pthread_getattr_np(pthread_self(), &a), 0);
  CHECK_RC(pthread_attr_getstack(&a, &low, &size), 0);
  CHECK_RC(pthread_attr_getguardsize(&a, &guard), 0);
  CHECK_RC(pthread_attr_getdetachstate(&a, &state), 0);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  CHECK(size >= at_least);
  CHECK((uintptr_t)&local >= (uintptr_t)low);
  CHECK((uintptr_t)&local < (uintptr_t)low + size);
  CHECK_EQ(state, expect_detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
}

static void* body(void* arg) {
  size_t size = *(size_t*)arg;
  check_bounds(size - 64 * 1024, 0);
  CHECK_EQ(use_stack(size - 64 * 1024), (size - 64 * 1024) / 1024);  // libc takes a little itself
  return NULL;
}

static void* own_stack_body(void* arg) {
  char local;
  uintptr_t low = (uintptr_t)((void**)arg)[0];
  CHECK((uintptr_t)&local >= low);
  CHECK((uintptr_t)&local < low + 512 * 1024);
  use_stack(256 * 1024);
  return arg;
}

int main(void) {
  check_bounds(64 * 1024, 0);
  size_t sizes[] = {256 * 1024, 1 << 20, 5 << 20, 32 << 20};
  pthread_t t[4];
  pthread_attr_t a;
  for (int i = 0; i < 4; i++) {
    CHECK_RC(pthread_attr_init(&a), 0);
    CHECK_RC(pthread_attr_setstacksize(&a, sizes[i]), 0);
    CHECK_RC(pthread_create(&t[i], &a, body, &sizes[i]), 0);
    CHECK_RC(pthread_attr_destroy(&a), 0);
  }
  for (int i = 0; i < 4; i++) CHECK_RC(pthread_join(t[i], NULL), 0);

  void* stack = mmap(NULL, 512 * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  void* args[] = {stack};
  void* result = NULL;
  CHECK_RC(pthread_attr_init(&a), 0);
  CHECK_RC(pthread_attr_setstack(&a, stack, 512 * 1024), 0);
  CHECK_RC(pthread_create(&t[0], &a, own_stack_body, args), 0);
  CHECK_RC(pthread_join(t[0], &result), 0);
  CHECK(result == args);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  CHECK_OK(munmap(stack, 512 * 1024));
  return check_passed("thread_stack");
}

// SPDX-License-Identifier: Apache-2.0
