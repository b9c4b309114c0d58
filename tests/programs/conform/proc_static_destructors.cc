// The end of main with detached threads alive: static and thread_local destructors of main run in
// reverse order; the detached threads touch nothing that is destroyed and simply disappear.
#include <semaphore.h>

#include <string>
#include <thread>

#include "../check.h"

static sem_t started, never;
static std::string* order = new std::string;  // never destroyed

struct Last {  // constructed first, destroyed last
  ~Last() {
    if (*order != "TBA") check_failed(__FILE__, __LINE__, order->c_str());
    check_passed("proc_static_destructors");
  }
} last;
struct A {
  ~A() { *order += 'A'; }
} a;
struct B {
  ~B() { *order += 'B'; }
};
struct T {
  ~T() { *order += 'T'; }
  int touched = 0;
};
static thread_local T t;

static void detached() {
  sem_post(&started);
  for (;;) sem_wait(&never);
}

int main() {
  static B b;
  t.touched = 1;
  CHECK_OK(sem_init(&started, 0, 0));
  CHECK_OK(sem_init(&never, 0, 0));
  for (int i = 0; i < 3; i++) std::thread(detached).detach();
  for (int i = 0; i < 3; i++) {
    while (sem_wait(&started) != 0) CHECK_EQ(errno, EINTR);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
