// SPDX-License-Identifier: Apache-2.0
// Programs of a few lines for tests of the command: written and built on the spot, in C, because
// that compiles in no time. Each test says what its program does where it matters.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {

// Built with `jostle cc`; the path of the program.
inline std::string build(const TempDir& folder, const std::string& name,
                         const std::string& source) {
  const std::string file = folder.write(name + ".c", source);
  const std::string program = folder.file(name);
  const Result built = jostle({"cc", "-g", "-O1", "-pthread", file, "-o", program});
  EXPECT_TRUE(built.ok()) << built;
  return program;
}

// The same for C++, with our own header at hand.
inline std::string build_cxx(const TempDir& folder, const std::string& name,
                             const std::string& source) {
  const std::string file = folder.write(name + ".cc", source);
  const std::string program = folder.file(name);
  const Result built = jostle(compile_cxx(file, program));
  EXPECT_TRUE(built.ok()) << built;
  return program;
}

// Two threads add to a counter without a lock; the assertion fails when an update is lost.
inline constexpr char kLostUpdate[] = R"(
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int counter;
static void* increment(void* unused) {
  counter++;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, increment, 0);
  pthread_create(&b, 0, increment, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  fprintf(stderr, "counter %d\n", counter);
  assert(counter == 2);
  return 0;
}
)";

// Two locks taken in two orders.
inline constexpr char kDeadlock[] = R"(
#include <pthread.h>
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void* worker(void* unused) {
  pthread_mutex_lock(&queue_lock);
  pthread_mutex_lock(&log_lock);
  pthread_mutex_unlock(&log_lock);
  pthread_mutex_unlock(&queue_lock);
  return unused;
}
static void* flusher(void* unused) {
  pthread_mutex_lock(&log_lock);
  pthread_mutex_lock(&queue_lock);
  pthread_mutex_unlock(&queue_lock);
  pthread_mutex_unlock(&log_lock);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, flusher, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
)";

// Does what its first argument says.
inline constexpr char kMany[] = R"(
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char** environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (!strcmp(what, "exit")) return number;
  if (!strcmp(what, "abort")) abort();
  if (!strcmp(what, "crash")) *(volatile int*)8 = 1;
  if (!strcmp(what, "signal")) raise(number);
  if (!strcmp(what, "misuse")) pthread_mutex_unlock(&lock);
  if (!strcmp(what, "hang")) { pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); }
  if (!strcmp(what, "loop")) for (volatile int i = 0;; i++) {}
  if (!strcmp(what, "env")) for (char** e = environ; *e; e++) puts(*e);
  if (!strcmp(what, "args")) for (int i = 0; i < argc; i++) puts(argv[i]);
  if (!strcmp(what, "cat")) for (int c; (c = getchar()) != EOF;) putchar(c);
  if (!strcmp(what, "streams")) { puts("to stdout"); fputs("to stderr\n", stderr); }
  if (!strcmp(what, "cwd")) { char here[4096]; puts(getcwd(here, sizeof here)); }
  return 0;
}
)";

}  // namespace jostle::test
