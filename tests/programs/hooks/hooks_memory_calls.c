#define _GNU_SOURCE
// The memory and string calls, with sizes the compiler cannot see: __tsan_memcpy, __tsan_memmove,
// __tsan_memset (clang) or calls of the libc functions themselves (gcc), which the runtime
// interposes.
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include <wchar.h>

#include "../check.h"

enum { kSize = 300 };

__attribute__((noinline)) static void copy(void* to, const void* from, size_t n) {
  memcpy(to, from, n);
}
__attribute__((noinline)) static void move(void* to, const void* from, size_t n) {
  memmove(to, from, n);
}
__attribute__((noinline)) static void fill(void* to, int c, size_t n) { memset(to, c, n); }

static void* work(void* arg) {
  (void)arg;
  char *a = malloc(kSize), *b = malloc(kSize);
  CHECK(a && b);
  fill(a, 'x', kSize);
  for (int i = 0; i < kSize; i++) CHECK_EQ(a[i], 'x');
  for (int i = 0; i < kSize; i++) a[i] = (char)i;
  copy(b, a, kSize);
  CHECK_EQ(memcmp(a, b, kSize), 0);
  move(a + 3, a, kSize - 3);
  CHECK_EQ(memcmp(a + 3, b, kSize - 3), 0);
  move(a, a + 3, kSize - 3);
  CHECK_EQ(memcmp(a, b, kSize - 3), 0);
  b[100]++;
  CHECK(memcmp(a, b, 200) < 0);
  CHECK(memcmp(a, b, 100) == 0);
  copy(b, a, 0);
  CHECK(memchr(a, 40, 100) == a + 40);
  CHECK(memchr(a, 40, 40) == NULL);
  CHECK(memrchr(a, 7, 50) == a + 7);

  strcpy(a, "Hello");
  CHECK_EQ(strlen(a), 5);
  CHECK_EQ(strnlen(a, 3), 3);
  strcat(a, ", world");
  CHECK_EQ(strcmp(a, "Hello, world"), 0);
  CHECK(strcmp(a, "Hello, xorld") < 0);
  CHECK_EQ(strncmp(a, "Help", 3), 0);
  CHECK_EQ(strcasecmp(a, "hELLO, WORLD"), 0);
  CHECK_EQ(strncasecmp(a, "hELLy", 4), 0);
  CHECK(strchr(a, 'w') == a + 7);
  CHECK(strrchr(a, 'l') == a + 10);
  CHECK(strstr(a, "wor") == a + 7);
  CHECK(strpbrk(a, "xyzo") == a + 4);
  CHECK_EQ(strspn(a, "Hel"), 4);
  CHECK_EQ(strcspn(a, ","), 5);
  strncpy(b, a, 8);
  CHECK_EQ(memcmp(b, "Hello, w", 8), 0);
  strncpy(b, "ab", 6);
  CHECK_EQ(memcmp(b, "ab\0\0\0", 6), 0);
  strncat(b, "cdefgh", 3);
  CHECK_EQ(strcmp(b, "abcde"), 0);
  CHECK(stpcpy(b, "xyz") == b + 3);
  CHECK(mempcpy(b, "12345", 6) == b + 6);
  CHECK_EQ(strcoll("a", "b") < 0, 1);
  char* d = strdup(a);
  char* n = strndup(a, 5);
  CHECK(d && n && strcmp(d, a) == 0 && strcmp(n, "Hello") == 0);
  char* save = NULL;
  CHECK(strcmp(strtok_r(d, ", ", &save), "Hello") == 0);
  CHECK(strcmp(strtok_r(NULL, ", ", &save), "world") == 0);
  CHECK(strtok_r(NULL, ", ", &save) == NULL);
  wchar_t wide[8];
  wmemset(wide, L'z', 7);
  wide[7] = 0;
  CHECK_EQ(wcslen(wide), 7);
  bzero(b, kSize);
  CHECK_EQ(b[0], 0);
  bcopy(a, b, 6);
  CHECK_EQ(bcmp(a, b, 6), 0);
  CHECK_EQ(atoi("42"), 42);
  CHECK_EQ(strtol("0x10", NULL, 0), 16);
  free(a), free(b), free(d), free(n);
  return NULL;
}

int main(void) {
  pthread_t t;
  CHECK_RC(pthread_create(&t, NULL, work, NULL), 0);
  work(NULL);
  CHECK_RC(pthread_join(t, NULL), 0);
  return check_passed("hooks_memory_calls");
}

// SPDX-License-Identifier: Apache-2.0
