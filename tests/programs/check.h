// The checks of the test programs. A failed check says where and what, and ends the process with 1.
#ifndef TESTS_PROGRAMS_CHECK_H
#define TESTS_PROGRAMS_CHECK_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// _exit, not exit: a failed check may sit in a destructor, a cleanup handler or a forked child.
__attribute__((noreturn, cold, unused)) static void check_failed(const char* file, int line,
                                                                 const char* text) {
  fprintf(stderr, "%s:%d: %s\n", file, line, text);
  fflush(NULL);
  _exit(1);
}

// CHECK(cond): the condition holds.
#define CHECK(cond)                                                    \
  do {                                                                 \
    if (!(cond)) check_failed(__FILE__, __LINE__, "expected: " #cond); \
  } while (0)

// CHECK_EQ(a, b): two integers (or pointers cast to integers) are equal; prints both when they are
// not.
#define CHECK_EQ(a, b)                                                                           \
  do {                                                                                           \
    long long check_a_ = (long long)(a), check_b_ = (long long)(b);                              \
    if (check_a_ != check_b_) {                                                                  \
      char check_text_[400];                                                                     \
      snprintf(check_text_, sizeof check_text_, "expected: %s == %s, got %lld and %lld", #a, #b, \
               check_a_, check_b_);                                                              \
      check_failed(__FILE__, __LINE__, check_text_);                                             \
    }                                                                                            \
  } while (0)

// CHECK_RC(call, code): a call that returns its error code (pthread_*, posix_memalign, …).
#define CHECK_RC(call, code)                                                                 \
  do {                                                                                       \
    int check_rc_ = (call), check_want_ = (code);                                            \
    if (check_rc_ != check_want_) {                                                          \
      char check_text_[400];                                                                 \
      snprintf(check_text_, sizeof check_text_, "expected: %s returns %s (%d), got %d (%s)", \
               #call, #code, check_want_, check_rc_, strerror(check_rc_));                   \
      check_failed(__FILE__, __LINE__, check_text_);                                         \
    }                                                                                        \
  } while (0)

// CHECK_ERRNO(call, code): a call that returns -1 and sets errno.
#define CHECK_ERRNO(call, code)                                                              \
  do {                                                                                       \
    errno = 0;                                                                               \
    long long check_ret_ = (long long)(call);                                                \
    int check_errno_ = errno;                                                                \
    if (check_ret_ != -1 || check_errno_ != (code)) {                                        \
      char check_text_[400];                                                                 \
      snprintf(check_text_, sizeof check_text_,                                              \
               "expected: %s returns -1 with %s, got %lld with errno %d (%s)", #call, #code, \
               check_ret_, check_errno_, strerror(check_errno_));                            \
      check_failed(__FILE__, __LINE__, check_text_);                                         \
    }                                                                                        \
  } while (0)

// CHECK_OK(call): a call that returns -1 and sets errno did not; says errno when it did.
#define CHECK_OK(call)                                                                             \
  do {                                                                                             \
    errno = 0;                                                                                     \
    if ((long long)(call) == -1) {                                                                 \
      char check_text_[400];                                                                       \
      snprintf(check_text_, sizeof check_text_, "expected: %s succeeds, got errno %d (%s)", #call, \
               errno, strerror(errno));                                                            \
      check_failed(__FILE__, __LINE__, check_text_);                                               \
    }                                                                                              \
  } while (0)

// The last line of main: prints "ok <name>" and gives the exit status.
__attribute__((unused)) static int check_passed(const char* name) {
  printf("ok %s\n", name);
  return fflush(stdout) == 0 ? 0 : 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0
