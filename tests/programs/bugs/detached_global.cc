// fails: signal SIGSEGV (some schedules)
// A detached logger uses a global that is destroyed when main returns. Shown when the logger runs
// after the destructor and before the process is gone.
#include <thread>

struct Log {
  Log() : lines(new int[10]()) {}
  ~Log() { close(); }
  // Not inlined: in the destructor itself the last store is dead, and dropped.
  __attribute__((noinline)) void close() {
    delete[] lines;
    lines = nullptr;
  }
  int* lines;
};

struct Farewell {  // something else that takes its time at exit, after the log is gone
  ~Farewell() { std::this_thread::yield(); }
};

static Farewell farewell;
static Log log_file;

static void logger() {
  for (int i = 0; i < 10; i++) {
    log_file.lines[i]++;
    std::this_thread::yield();
  }
}

int main() {
  std::thread(logger).detach();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
