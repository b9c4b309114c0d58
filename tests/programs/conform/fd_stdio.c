// stdio over pipes between threads: fgets blocks its thread only; one fprintf is one piece; to close
// a stream blocks nobody unless something is left to be written.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

enum { kLines = 30, kWriters = 3 };

static FILE *in, *out;

static void* writer(void* arg) {
  char mark = *(char*)arg;
  for (int i = 0; i < kLines; i++) {
    CHECK(fprintf(out, "%c %d %s\n", mark, i, "a longer text to be written in pieces") > 0);
  }
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  char line[200], word[20];
  int next[kWriters] = {0}, n = -1;
  char mark;
  for (int i = 0; i < kLines * kWriters; i++) {
    CHECK(fgets(line, sizeof line, in) != NULL);
    CHECK_EQ(sscanf(line, "%c %d %19s", &mark, &n, word), 3);
    CHECK_EQ(n, next[mark - 'a']++);
    CHECK(strstr(line, " a longer text to be written in pieces\n") != NULL);
  }
  CHECK(fgets(line, sizeof line, in) == NULL);
  CHECK(feof(in));
  return NULL;
}

// Both ends are open, and the pipe is full: nothing more could be written to it.
static void* closes_without_waiting(void* arg) {
  (void)arg;
  int p[2];
  char bytes[4096] = {0};
  CHECK_OK(pipe2(p, O_NONBLOCK));
  while (write(p[1], bytes, sizeof bytes) > 0) {
  }
  CHECK_OK(fcntl(p[0], F_SETFL, 0));
  CHECK_OK(fcntl(p[1], F_SETFL, 0));
  FILE* writes = fdopen(dup(p[1]), "w");
  FILE* reads = fdopen(p[0], "r");
  CHECK(writes && reads);
  CHECK_EQ(fflush(writes), 0);
  CHECK_EQ(fclose(writes), 0);
  CHECK_EQ(fgetc(reads), 0);
  CHECK_EQ(fclose(reads), 0);
  CHECK_OK(close(p[1]));
  return NULL;
}

// The end of a line stays in the stream, and the next number is not written before the answer.
static int question[2], answer[2];
static void* adds(void* arg) {
  (void)arg;
  FILE *from = fdopen(question[0], "r"), *to = fdopen(answer[1], "w");
  int a, b;
  while (fscanf(from, "%d %d", &a, &b) == 2) {
    CHECK(fprintf(to, "sum %d\n", a + b) > 0);
    CHECK_EQ(fflush(to), 0);
  }
  CHECK(feof(from));
  CHECK_EQ(fclose(from), 0);
  CHECK_EQ(fclose(to), 0);
  return NULL;
}

static void scans_line_by_line(void) {
  pthread_t thread;
  char word[8];
  int sum, next = 0;
  CHECK_OK(pipe(question));
  CHECK_OK(pipe(answer));
  CHECK_RC(pthread_create(&thread, NULL, adds, NULL), 0);
  FILE *to = fdopen(question[1], "w"), *from = fdopen(answer[0], "r");
  for (int i = 0; i < 3; i++) {
    CHECK(fprintf(to, "%d 1%d\n", i, i) > 0);
    CHECK_EQ(fflush(to), 0);
    CHECK_EQ(fscanf(from, "%7s %d%n", word, &sum, &next), 2);
    CHECK_EQ(sum, 10 + 2 * i);
    CHECK_EQ(next, i == 0 ? 6 : 7);
    CHECK_EQ(fgetc(from), '\n');
    CHECK_EQ(ungetc('\n', from), '\n');
  }
  CHECK_EQ(fclose(to), 0);
  CHECK_EQ(fscanf(from, "%d", &sum), EOF);
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_EQ(fclose(from), 0);
}

int main(void) {
  int p[2];
  char marks[kWriters] = {'a', 'b', 'c'};
  pthread_t w[kWriters], r;
  CHECK_OK(pipe(p));
  in = fdopen(p[0], "r");
  out = fdopen(p[1], "w");
  CHECK(in && out);
  CHECK_RC(pthread_create(&r, NULL, reader, NULL), 0);
  for (int i = 0; i < kWriters; i++) CHECK_RC(pthread_create(&w[i], NULL, writer, &marks[i]), 0);
  for (int i = 0; i < kWriters; i++) CHECK_RC(pthread_join(w[i], NULL), 0);
  CHECK_EQ(fclose(out), 0);
  CHECK_RC(pthread_join(r, NULL), 0);
  CHECK_EQ(fclose(in), 0);
  scans_line_by_line();
  CHECK_RC(pthread_create(&r, NULL, closes_without_waiting, NULL), 0);
  CHECK_RC(pthread_join(r, NULL), 0);
  return check_passed("fd_stdio");
}

// SPDX-License-Identifier: Apache-2.0
