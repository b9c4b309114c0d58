// One call of stdio that writes more than the pipe or the connection holds, whose reader is another
// thread: it waits, and the process goes on; other calls on the stream wait, too.
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include "../check.h"

enum { kSize = 12000, kSymbols = 3000, kSmall = 4096 };

static FILE *in, *out;
static char text[kSize + 1];
static wchar_t symbols[kSymbols + 1];

static void* reads_bytes(void* arg) {
  char bytes[3000];
  size_t n, *sum = arg;
  while ((n = fread(bytes, 1, sizeof bytes, in)) > 0) *sum += n;
  return NULL;
}

static void* reads_symbols(void* arg) {
  wint_t symbol;
  size_t* sum = arg;
  while ((symbol = fgetwc(in)) != WEOF) {
    CHECK_EQ(symbol, 0x20ac);
    ++*sum;
  }
  return NULL;
}

static void open_pipe(void) {
  int p[2];
  CHECK_OK(pipe(p));
  CHECK(fcntl(p[1], F_SETPIPE_SZ, kSmall) == kSmall);
  in = fdopen(p[0], "r");
  out = fdopen(p[1], "w");
  CHECK(in && out);
}

static void open_connection(void) {
  int p[2], size = kSmall;
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, p));
  CHECK_OK(setsockopt(p[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
  in = fdopen(p[0], "r");
  out = fdopen(p[1], "w");
  CHECK(in && out);
}

static void puts_it(void) { CHECK(fputs(text, out) >= 0); }
static void prints_it(void) { CHECK_EQ(fprintf(out, "%s", text), kSize); }
static void puts_it_unlocked(void) { CHECK(fputs_unlocked(text, out) >= 0); }
static void writes_it_unlocked(void) { CHECK_EQ(fwrite_unlocked(text, 1, kSize, out), kSize); }
static void writes_it_in_small_parts(void) {
  for (int i = 0; i < kSize; i += 100) CHECK_EQ(fprintf(out, "%.100s", text + i), 100);
}
static void writes_through_a_large_buffer(void) {
  static char buffer[4 * kSmall];
  CHECK_EQ(setvbuf(out, buffer, _IOFBF, sizeof buffer), 0);
  writes_it_in_small_parts();
}
static void puts_symbols(void) { CHECK(fputws(symbols, out) >= 0); }
static void prints_symbols(void) { CHECK_EQ(fwprintf(out, L"%ls", symbols), kSymbols); }
static void writes_single_symbols(void) {
  for (int i = 0; i < kSymbols; ++i) CHECK_EQ(fputwc(symbols[i], out), (wint_t)symbols[i]);
}

static void expect(void (*opens)(void), void (*writes)(void), void* (*reads)(void*), size_t all) {
  pthread_t reader;
  size_t sum = 0;
  opens();
  CHECK_RC(pthread_create(&reader, NULL, reads, &sum), 0);
  writes();
  CHECK_EQ(fclose(out), 0);
  CHECK_RC(pthread_join(reader, NULL), 0);
  CHECK_EQ(sum, all);
  CHECK_EQ(fclose(in), 0);
}

// What separates two numbers comes when the first is answered.
static FILE *questions, *answers;
static void* doubles(void* arg) {
  int n;
  while (fwscanf(questions, L"%d", &n) == 1) {
    CHECK(fwprintf(answers, L"twice %d\n", 2 * n) > 0);
    CHECK_EQ(fflush(answers), 0);
    CHECK_EQ(fgetwc(questions), L'\n');
  }
  CHECK(feof(questions));
  return arg;
}

static void asks_in_wide_characters(void) {
  int question[2], answer[2], n = 0, length = 0;
  wchar_t word[8];
  pthread_t thread;
  CHECK_OK(pipe(question));
  CHECK_OK(pipe(answer));
  questions = fdopen(question[0], "r");
  answers = fdopen(answer[1], "w");
  CHECK_RC(pthread_create(&thread, NULL, doubles, NULL), 0);
  FILE *to = fdopen(question[1], "w"), *from = fdopen(answer[0], "r");
  for (int i = 0; i < 3; i++) {
    CHECK(fwprintf(to, L"1%d\n", i) > 0);
    CHECK_EQ(fflush(to), 0);
    CHECK_EQ(fwscanf(from, L"%7ls %d%n", word, &n, &length), 2);
    CHECK(wcscmp(word, L"twice") == 0);
    CHECK_EQ(n, 20 + 2 * i);
    CHECK_EQ(length, i == 0 ? 8 : 9);
  }
  CHECK_EQ(fclose(to), 0);
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_EQ(fclose(answers), 0);
  CHECK_EQ(fwscanf(from, L"%d", &n), EOF);
  CHECK_EQ(fclose(from), 0);
  CHECK_EQ(fclose(questions), 0);
}

// Each call is one piece, also where it has to wait in the middle of it.
enum { kLines = 3, kLength = kSmall + 900 };

static void* writes_lines(void* first) {
  char line[kLength + 1] = "";
  memset(line, *(char*)first, kLength - 1);
  line[kLength - 1] = '\n';
  CHECK(fputs(line, out) >= 0);
  CHECK_EQ(fprintf(out, "%s", line), kLength);
  CHECK_EQ(fwrite(line, 1, kLength, out), kLength);
  return NULL;
}

static void* reads_lines(void* arg) {
  char* line = NULL;
  size_t room = 0, *lines = arg;
  for (ssize_t n; (n = getline(&line, &room, in)) > 0; ++*lines) {
    CHECK_EQ(n, kLength);
    for (int i = 0; i < kLength - 1; i++) CHECK_EQ(line[i], line[0]);
  }
  free(line);
  return NULL;
}

static void keeps_lines_together(void) {
  pthread_t writers[2], readers[2];
  size_t lines[2] = {0, 0};
  open_pipe();
  for (int i = 0; i < 2; i++) {
    CHECK_RC(pthread_create(&readers[i], NULL, reads_lines, &lines[i]), 0);
    CHECK_RC(pthread_create(&writers[i], NULL, writes_lines, &"ab"[i]), 0);
  }
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(writers[i], NULL), 0);
  CHECK_EQ(fclose(out), 0);
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(readers[i], NULL), 0);
  CHECK_EQ(fclose(in), 0);
  CHECK_EQ(lines[0] + lines[1], 2 * kLines);
}

// So is one that reads a line of wide characters from a file.
static void* reads_wide_lines(void* arg) {
  wchar_t line[10], word[10];
  for (int i = 0; i < 2; i++) {
    CHECK(fgetws(line, 10, in) != NULL);
    CHECK(wcslen(line) == 5 && line[4] == L'\n' && line[0] == line[3]);
    CHECK_EQ(fwscanf(in, L"%9ls\n", word), 1);
    CHECK(wcslen(word) == 4 && word[0] == word[3]);
  }
  return arg;
}

static void reads_wide_lines_of_a_file(void) {
  pthread_t readers[2];
  in = tmpfile();
  CHECK(in != NULL);
  for (int i = 0; i < 8; i++) CHECK(fwprintf(in, L"%d%d%d%d\n", i, i, i, i) == 5);
  rewind(in);
  for (int i = 0; i < 2; i++) {
    CHECK_RC(pthread_create(&readers[i], NULL, reads_wide_lines, NULL), 0);
  }
  for (int i = 0; i < 2; i++) CHECK_RC(pthread_join(readers[i], NULL), 0);
  CHECK_EQ(fclose(in), 0);
}

// What the program prints goes to itself for a while.
static void hears_itself(void) {
  pthread_t reader;
  size_t sum = 0;
  fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  CHECK(before >= 0);
  open_pipe();
  CHECK_EQ(dup2(fileno(out), STDOUT_FILENO), STDOUT_FILENO);
  CHECK_EQ(fclose(out), 0);
  CHECK_RC(pthread_create(&reader, NULL, reads_bytes, &sum), 0);
  CHECK_EQ(printf("%s", text), kSize);
  for (int i = 0; i < 100; i++) CHECK(puts("a line of some thirty characters") >= 0);
  fflush(stdout);
  CHECK_EQ(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
  CHECK_OK(close(before));
  CHECK_RC(pthread_join(reader, NULL), 0);
  CHECK_EQ(sum, kSize + 3300);
  CHECK_EQ(fclose(in), 0);
}

int main(void) {
  CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);
  memset(text, 'x', kSize);
  wmemset(symbols, 0x20ac, kSymbols);
  expect(open_pipe, puts_it, reads_bytes, kSize);
  expect(open_pipe, prints_it, reads_bytes, kSize);
  expect(open_pipe, puts_it_unlocked, reads_bytes, kSize);
  expect(open_pipe, writes_it_unlocked, reads_bytes, kSize);
  expect(open_pipe, writes_it_in_small_parts, reads_bytes, kSize);
  expect(open_pipe, writes_through_a_large_buffer, reads_bytes, kSize);
  expect(open_connection, prints_it, reads_bytes, kSize);
  expect(open_connection, writes_it_in_small_parts, reads_bytes, kSize);
  expect(open_pipe, puts_symbols, reads_symbols, kSymbols);
  expect(open_pipe, prints_symbols, reads_symbols, kSymbols);
  expect(open_pipe, writes_single_symbols, reads_symbols, kSymbols);
  keeps_lines_together();
  reads_wide_lines_of_a_file();
  hears_itself();
  asks_in_wide_characters();
  return check_passed("stdio_pieces");
}

// SPDX-License-Identifier: Apache-2.0
