// A stream whose functions are the program's own (fopencookie) and wait for a lock: each call on it
// is one piece, and those who come meanwhile wait for it.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "../check.h"

enum { kThreads = 3, kLines = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char written[1024];
static size_t count, left_to_read = 30;
static FILE *sink, *source;

static ssize_t take(void* cookie, const char* text, size_t size) {
  CHECK(cookie == &count);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  CHECK(count + size < sizeof written);
  memcpy(written + count, text, size);
  count += size;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return (ssize_t)size;
}

static ssize_t give(void* cookie, char* to, size_t room) {
  CHECK(cookie == NULL && room > 0);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  const size_t size = left_to_read < 4 ? left_to_read : 4;
  CHECK(size <= room);
  memset(to, 'x', size);
  left_to_read -= size;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return (ssize_t)size;
}

static void* body(void* arg) {
  const char mark = *(const char*)arg;
  for (int i = 0; i < kLines; i++) {
    CHECK(fprintf(sink, "%c%d%c\n", mark, i, mark) == 4);
    CHECK(fputc('.', sink) == '.');
    CHECK_OK(fflush(sink));
  }
  size_t* read = (size_t*)(void*)((char*)arg + sizeof(size_t));
  while (getc(source) == 'x') ++*read;
  return NULL;
}

int main(void) {
  struct {
    char mark[sizeof(size_t)];
    size_t read;
  } writers[kThreads] = {{"a", 0}, {"b", 0}, {"c", 0}};
  sink = fopencookie(&count, "w", (cookie_io_functions_t){.write = take});
  source = fopencookie(NULL, "r", (cookie_io_functions_t){.read = give});
  CHECK(sink && source);
  CHECK_OK(setvbuf(sink, NULL, _IONBF, 0));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) {
    CHECK_RC(pthread_create(&threads[i], NULL, body, &writers[i]), 0);
  }
  size_t read = 0;
  for (int i = 0; i < kThreads; i++) {
    CHECK_RC(pthread_join(threads[i], NULL), 0);
    read += writers[i].read;
  }
  CHECK_EQ(read, 30);
  CHECK_OK(fclose(sink));
  CHECK_OK(fclose(source));
  CHECK_EQ(count, kThreads * kLines * 5);
  int lines = 0;
  for (size_t i = 0; i < count; i++) {
    if (written[i] == '.' || written[i] == '\n') continue;
    CHECK(i + 3 < count && written[i + 2] == written[i] && written[i + 3] == '\n');
    lines++;
    i += 3;
  }
  CHECK_EQ(lines, kThreads * kLines);
  return check_passed("stdio_own_stream");
}

// SPDX-License-Identifier: Apache-2.0
