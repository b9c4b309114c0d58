// flockfile: several calls as one piece, nested, ftrylockfile fails while another thread holds it.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

enum { kThreads = 4, kLines = 25 };

static FILE* out;

static void* writer(void* arg) {
  char mark = *(char*)arg;
  for (int i = 0; i < kLines; i++) {
    flockfile(out);
    fprintf(out, "%c", mark);  // nests
    putc_unlocked('-', out);
    flockfile(out);
    fputs("text", out);
    funlockfile(out);
    putc_unlocked('-', out);
    fprintf(out, "%c\n", mark);
    funlockfile(out);
    fprintf(out, "%c-%s-%c\n", mark, "text", mark);
  }
  return NULL;
}

static void* try_held(void* arg) {
  (void)arg;
  CHECK(ftrylockfile(out) != 0);
  return NULL;
}

int main(void) {
  char* text = NULL;
  size_t size = 0;
  out = open_memstream(&text, &size);
  CHECK(out);
  pthread_t t[kThreads];
  char marks[kThreads] = {'a', 'b', 'c', 'd'};
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_create(&t[i], NULL, writer, &marks[i]), 0);
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);

  CHECK_EQ(ftrylockfile(out), 0);
  CHECK_EQ(ftrylockfile(out), 0);
  CHECK_RC(pthread_create(&t[0], NULL, try_held, NULL), 0);
  CHECK_RC(pthread_join(t[0], NULL), 0);
  funlockfile(out);
  funlockfile(out);
  CHECK_EQ(fclose(out), 0);

  CHECK_EQ(size, kThreads * kLines * 2 * 9);
  for (size_t i = 0; i < size; i += 9) {
    CHECK(text[i] >= 'a' && text[i] <= 'd');
    CHECK_EQ(text[i], text[i + 7]);
    CHECK_EQ(memcmp(text + i + 1, "-text-", 6), 0);
    CHECK_EQ(text[i + 8], '\n');
  }
  free(text);
  return check_passed("stdio_lock");
}

// SPDX-License-Identifier: Apache-2.0
