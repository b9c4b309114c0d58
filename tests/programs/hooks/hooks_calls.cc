// Function entry and exit in every shape: recursion, tail calls, exceptions through instrumented
// frames, longjmp out of nested frames (no __tsan_func_exit for those), no_sanitize functions,
// constructors of globals.
#include <csetjmp>
#include <stdexcept>
#include <string>
#include <thread>

#include "../check.h"

static int made_before_main = [] { return 5; }();

__attribute__((noinline)) static int depth(int n, int* touched) {
  *touched += 1;
  return n == 0 ? 0 : 1 + depth(n - 1, touched);
}

__attribute__((noinline)) static int even(int n, int* touched);
__attribute__((noinline)) static int odd(int n, int* touched) {
  *touched += 1;
  return n == 0 ? 0 : even(n - 1, touched);
}
__attribute__((noinline)) static int even(int n, int* touched) {
  *touched += 1;
  return n == 0 ? 1 : odd(n - 1, touched);
}

__attribute__((noinline)) static void thrower(int n, int* touched) {
  *touched += 1;
  if (n == 0) throw std::runtime_error("bottom");
  thrower(n - 1, touched);
  *touched += 1000;
}

__attribute__((noinline)) static void jumper(int n, std::jmp_buf& env, int* touched) {
  *touched += 1;
  if (n < 0) return;
  if (n == 0) std::longjmp(env, 7);
  jumper(n - 1, env, touched);
  *touched += 1000;
}

__attribute__((noinline, no_sanitize("thread"))) static void quiet(int* touched) { *touched += 1; }

static void work() {
  for (int round = 0; round < 30; round++) {
    int touched = 0;
    CHECK_EQ(depth(50, &touched), 50);
    CHECK_EQ(touched, 51);
    CHECK_EQ(even(51, &touched), 0);
    CHECK_EQ(touched, 103);
    try {
      thrower(20, &touched);
      CHECK(!"thrower returned");
    } catch (const std::runtime_error& e) {
      CHECK(std::string(e.what()) == "bottom");
    }
    CHECK_EQ(touched, 124);
    std::jmp_buf env;
    int* volatile p = &touched;  // lives across the jump
    int code = setjmp(env);
    if (code == 0) jumper(20, env, p);
    CHECK_EQ(code, 7);
    CHECK_EQ(*p, 145);
    quiet(p);
    CHECK_EQ(*p, 146);
  }
}

int main() {
  CHECK_EQ(made_before_main, 5);
  std::thread a(work), b(work);
  work();
  a.join();
  b.join();
  return check_passed("hooks_calls");
}

// SPDX-License-Identifier: Apache-2.0
