// pthread_exit deep inside C++ frames: destructors run innermost first, catch (...) sees the
// unwinding and must rethrow, thread_local objects and keys follow, the value reaches join.
#include <cxxabi.h>
#include <pthread.h>

#include <string>

#include "../check.h"

static std::string order;  // one thread at a time touches it; create and join order the accesses

struct Guard {
  explicit Guard(char name) : name_(name) {}
  ~Guard() { order += name_; }
  char name_;
};

struct PerThread {
  ~PerThread() { order += 'T'; }
  int value = 0;
};
static thread_local PerThread per_thread;

static pthread_key_t key;
static void key_gone(void* value) { order += *static_cast<char*>(value); }

__attribute__((noinline)) static void inner(void* result) {
  Guard guard('c');
  pthread_exit(result);
}

__attribute__((noinline)) static void middle(void* result) {
  Guard guard('b');
  try {
    Guard in_try('t');
    inner(result);
  } catch (abi::__forced_unwind&) {
    order += 'F';
    throw;
  } catch (...) {
    order += '!';
    throw;
  }
  order += '!';
}

static void* outer(void* result) {
  static char key_mark = 'K';
  per_thread.value = 1;
  CHECK_RC(pthread_setspecific(key, &key_mark), 0);
  Guard guard('a');
  try {
    middle(result);
  } catch (...) {
    order += 'C';
    throw;
  }
  order += '!';
  return nullptr;
}

static void* with_cleanup(void* result) {
  Guard guard('a');
  pthread_cleanup_push([](void* c) { order += *static_cast<char*>(c); }, const_cast<char*>("x"));
  inner(result);
  pthread_cleanup_pop(0);
  return nullptr;
}

int main() {
  CHECK_RC(pthread_key_create(&key, key_gone), 0);
  for (int round = 0; round < 5; round++) {
    int target = 0;
    void* result = nullptr;
    pthread_t t;
    order.clear();
    CHECK_RC(pthread_create(&t, nullptr, outer, &target), 0);
    CHECK_RC(pthread_join(t, &result), 0);
    CHECK(result == &target);
    if (order != "ctFbCaTK") check_failed(__FILE__, __LINE__, order.c_str());

    order.clear();
    CHECK_RC(pthread_create(&t, nullptr, with_cleanup, &target), 0);
    CHECK_RC(pthread_join(t, &result), 0);
    CHECK(result == &target);
    if (order != "cxa") check_failed(__FILE__, __LINE__, order.c_str());
  }
  return check_passed("thread_exit_nested");
}

// SPDX-License-Identifier: Apache-2.0
