// thread_local: constructed on first use in each thread, fresh every time, destroyed in reverse
// order at the thread's end.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

static std::atomic<int> alive{0}, made{0};

struct Tracked {
  Tracked() {
    alive++;
    made++;
  }
  ~Tracked() {
    alive--;
    if (log) *log += name;
  }
  std::string* log = nullptr;
  char name = '?';
  int value = 0;
};

static thread_local Tracked first, second;
static thread_local int plain = 11;
static thread_local char zeroed[1000];
static thread_local std::string text = "initial";
static thread_local std::vector<int> numbers{1, 2, 3};

static Tracked& local_static() {
  static thread_local Tracked third;
  return third;
}

struct Base {
  static thread_local int member;
};
thread_local int Base::member = plain + 1;  // dynamic, from another thread_local

static void fresh() {
  CHECK_EQ(plain, 11);
  for (char c : zeroed) CHECK_EQ(c, 0);
  CHECK(text == "initial");
  CHECK(numbers == (std::vector<int>{1, 2, 3}));
  CHECK_EQ(Base::member, 12);
  CHECK_EQ(first.value, 0);
  CHECK_EQ(local_static().value, 0);
  plain = 99;
  memset(zeroed, 'x', sizeof zeroed);
  text = std::string(200, 'y');
  numbers.resize(500);
  Base::member = 99;
  first.value = second.value = local_static().value = 5;
}

static void order(std::string* log) {
  first.log = second.log = log;
  first.name = 'a';
  second.name = 'b';
  Tracked& third = local_static();
  third.log = log;
  third.name = 'c';
}

int main() {
  for (int i = 0; i < 100;
       i++) {  // one after another: later threads may reuse the memory of earlier ones
    std::thread(fresh).join();
    CHECK_EQ(alive.load(), 0);
  }
  CHECK_EQ(made.load(), 300);
  {
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; i++) threads.emplace_back(fresh);
    for (auto& t : threads) t.join();
  }
  CHECK_EQ(alive.load(), 0);

  std::string log;
  std::thread(order, &log).join();
  if (log != "cba") check_failed(__FILE__, __LINE__, log.c_str());

  // Addresses differ between live threads; a pointer to another's object works while it lives.
  int* theirs = nullptr;
  std::atomic<int> stage{0};
  std::thread t([&] {
    theirs = &plain;
    stage = 1;
    stage.notify_all();
    stage.wait(1);
    CHECK_EQ(plain, 123);
  });
  stage.wait(0);
  CHECK(theirs != &plain);
  *theirs = 123;
  stage = 2;
  stage.notify_all();
  t.join();
  fresh();  // main has its own too
  return check_passed("cxx_thread_local");
}

// SPDX-License-Identifier: Apache-2.0
