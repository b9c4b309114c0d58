// Functions of libc that wait inside of it: without the stream's lock, of wide characters, dprintf,
// freopen of a named pipe, tee, sigpause. While they wait, other threads go on.
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <wchar.h>

#include "../check.h"

static int ends[2];

static void* feeds(void* arg) {
  const char* text = (const char*)arg;
  CHECK(write(ends[1], text, strlen(text)) == (ssize_t)strlen(text));
  CHECK_OK(close(ends[1]));
  return NULL;
}

static pthread_t fed(const char* text) {
  pthread_t thread;
  CHECK_OK(pipe(ends));
  CHECK_RC(pthread_create(&thread, NULL, feeds, (void*)text), 0);
  return thread;
}

static void ended(pthread_t thread, FILE* stream) {
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_OK(fclose(stream));
}

static void unlocked(void) {
  char line[16];
  pthread_t thread = fed("abc\ndef");
  FILE* in = fdopen(ends[0], "r");
  CHECK_EQ(getc_unlocked(in), 'a');
  CHECK(fgets_unlocked(line, sizeof line, in) && strcmp(line, "bc\n") == 0);
  CHECK_EQ(fread_unlocked(line, 1, sizeof line, in), 3);
  CHECK_EQ(fgetc_unlocked(in), EOF);
  ended(thread, in);
}

static void wide(void) {
  wchar_t line[16];
  CHECK(setlocale(LC_ALL, "C.UTF-8"));
  pthread_t thread = fed("a\xc3\xa4\nnext\nx");
  FILE* in = fdopen(ends[0], "r");
  CHECK_EQ(fgetwc(in), L'a');
  CHECK_EQ(getwc(in), 0xe4);
  CHECK(fgetws(line, 16, in) && wcscmp(line, L"\n") == 0);
  CHECK(fgetws(line, 16, in) && wcscmp(line, L"next\n") == 0);
  CHECK(fgetws(line, 16, in) && wcscmp(line, L"x") == 0);
  CHECK(!fgetws(line, 16, in));
  CHECK_EQ(fgetwc(in), WEOF);
  ended(thread, in);
}

static void* drains(void* arg) {
  char room[4096];
  ssize_t size;
  while ((size = read(ends[0], room, sizeof room)) > 0) *(size_t*)arg += (size_t)size;
  CHECK_OK(size);
  return NULL;
}

static void prints(void) {
  enum { kEach = 900, kTimes = 12 };
  size_t read = 0;
  pthread_t thread;
  CHECK_OK(pipe(ends));
  CHECK(fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
  CHECK_RC(pthread_create(&thread, NULL, drains, &read), 0);
  for (int i = 0; i < kTimes; i++) CHECK_EQ(dprintf(ends[1], "%*d", kEach, i), kEach);
  FILE* out = fdopen(ends[1], "w");
  for (int i = 0; i < kEach * kTimes; i++) CHECK_EQ(putc_unlocked('x', out), 'x');
  CHECK_OK(fclose(out));
  CHECK_RC(pthread_join(thread, NULL), 0);
  CHECK_OK(close(ends[0]));
  CHECK_EQ(read, 2 * kEach * kTimes);
}

static void tees(void) {
  int copy[2];
  char text[8];
  CHECK_OK(pipe(copy));
  pthread_t thread = fed("both");
  CHECK_EQ(tee(ends[0], copy[1], sizeof text, 0), 4);
  CHECK(read(copy[0], text, sizeof text) == 4 && memcmp(text, "both", 4) == 0);
  CHECK(read(ends[0], text, sizeof text) == 4);
  CHECK_RC(pthread_join(thread, NULL), 0);
  for (int i = 0; i < 2; i++) CHECK_OK(close(copy[i]));
  CHECK_OK(close(ends[0]));
}

static void* opens(void* arg) {
  FILE* out = fopen((const char*)arg, "w");
  CHECK(out && fputs("line\n", out) >= 0);
  CHECK_OK(fclose(out));
  return NULL;
}

static void reopens(void) {
  char folder[] = "/tmp/fd_libc_waits_XXXXXX", name[64], line[16];
  CHECK(mkdtemp(folder));
  snprintf(name, sizeof name, "%s/pipe", folder);
  CHECK_OK(mkfifo(name, 0600));
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, NULL, opens, name), 0);
  FILE* in = fopen("/dev/null", "r");
  CHECK(in);
  const int number = fileno(in);
  in = freopen(name, "r", in);
  CHECK(in && fileno(in) == number);
  CHECK(fgets(line, sizeof line, in) && strcmp(line, "line\n") == 0);
  ended(thread, in);
  CHECK_OK(unlink(name));
  CHECK_OK(rmdir(folder));
}

static volatile sig_atomic_t handled;
static void handler(int sig) { handled += sig == SIGUSR1; }

static void* signals(void* arg) {
  CHECK_RC(pthread_kill(*(pthread_t*)arg, SIGUSR1), 0);
  return NULL;
}

// What <signal.h> calls sigpause, and calls deprecated.
extern int __xpg_sigpause(int sig);

static void pauses(void) {
  sigset_t mask;
  pthread_t self = pthread_self(), thread;
  const struct sigaction action = {.sa_handler = handler};
  CHECK_OK(sigaction(SIGUSR1, &action, NULL));
  CHECK_OK(sigemptyset(&mask));
  CHECK_OK(sigaddset(&mask, SIGUSR1));
  CHECK_RC(pthread_sigmask(SIG_BLOCK, &mask, NULL), 0);
  CHECK_RC(pthread_create(&thread, NULL, signals, &self), 0);
  CHECK_ERRNO(__xpg_sigpause(SIGUSR1), EINTR);
  CHECK_EQ(handled, 1);
  CHECK_RC(pthread_join(thread, NULL), 0);
}

int main(void) {
  unlocked();
  wide();
  prints();
  tees();
  reopens();
  pauses();
  return check_passed("fd_libc_waits");
}

// SPDX-License-Identifier: Apache-2.0
