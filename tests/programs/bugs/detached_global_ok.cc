// fails: never
// detached_global with the logger joined.
#include <thread>

struct Log {
  Log() : lines(new int[10]()) {}
  ~Log() { close(); }
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
  std::thread(logger).join();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
