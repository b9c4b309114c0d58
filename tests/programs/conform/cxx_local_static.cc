// Function-local statics: initialised once by whoever comes first while the others wait; an
// initialiser that throws is tried again; they are destroyed at exit in reverse order.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

static int constructed;  // written inside the guarded initialiser only
struct Once {
  Once() {
    constructed++;
    text = std::string(50, 'x');
  }
  std::string text;
};
static Once& once() {
  static Once instance;
  return instance;
}

static int attempts;
static int throws_first() {
  if (++attempts < 3) throw std::runtime_error("not yet");
  return 77;
}
static int retried() {
  static const int value = throws_first();
  return value;
}

template <int N>
static int& numbered() {
  static int value = [] { return N * 10; }();
  return value;
}

// One static's initialiser needs another's.
static int inner() {
  static int value = retried() + 1;
  return value;
}
static int outer() {
  static int value = inner() + 1;
  return value;
}

static void in_threads(int n, void (*f)()) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; i++) threads.emplace_back(f);
  for (auto& t : threads) t.join();
}

static std::atomic<int> caught;

int main() {
  in_threads(6, [] { CHECK_EQ(once().text.size(), 50); });
  CHECK_EQ(constructed, 1);

  in_threads(6, [] {
    for (;;) {
      try {
        CHECK_EQ(retried(), 77);
        return;
      } catch (const std::runtime_error&) {
        caught++;
      }
    }
  });
  CHECK_EQ(attempts, 3);
  CHECK_EQ(caught.load(), 2);

  in_threads(4, [] {
    CHECK_EQ(numbered<1>(), 10);
    CHECK_EQ(numbered<2>(), 20);
    CHECK_EQ(numbered<3>(), 30);
  });
  in_threads(4, [] {
    CHECK_EQ(outer(), 79);
    CHECK_EQ(inner(), 78);
  });
  return check_passed("cxx_local_static");
}

// SPDX-License-Identifier: Apache-2.0
