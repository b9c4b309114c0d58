// A server logs what it does while an administrator has the log rotated.
//
// Wrong: the log is closed and opened again in two steps, and a writer that finds it closed leaves
// its entry out.
// Shown when: one of the statements is the one that rotates (791), and another is logged between
// the two steps.
// Failure: assert: fewer entries than statements.
// From: MySQL's bug 791 as in table 5.2 (SQL) of Sumit Padhiyar's thesis; which statement rotates
// is the input. Written from the description.
#include <cassert>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kRotate = 791;

struct Log {
  std::mutex lock;
  bool is_open = true;
  size_t entries = 0;

  void write() {
    const std::lock_guard guard(lock);
    if (is_open) ++entries;
  }
  void close() {
    const std::lock_guard guard(lock);
    is_open = false;
  }
  void open() {
    const std::lock_guard guard(lock);
    is_open = true;
  }
  void rotate() {
#ifdef FIXED
    const std::lock_guard guard(lock);
    is_open = true;  // a new file in one step
#else
    close();
    open();
#endif
  }
};

void test(int first, int second) {
  Log log;
  const auto execute = [&log](int statement) {
    if (statement == kRotate) log.rotate();
    log.write();
  };
  std::thread one(execute, first), two(execute, second);
  one.join();
  two.join();
  assert(log.entries == 2);
}

}  // namespace

int main() {
  using namespace jostle;
  property("log_rotation", gen::any<int>().named("first"), gen::any<int>().named("second"), test);
}

// SPDX-License-Identifier: Apache-2.0
