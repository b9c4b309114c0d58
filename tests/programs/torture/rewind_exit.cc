// The end of a run runs the program's own code: handlers, destructors of globals and thread-locals,
// and it may be a thread that ends it while others wait.
#include <mutex>
#include <thread>

#include "pristine.h"

namespace {

int handlers = 0, globals = 0;
std::mutex never;

struct Global {
  bool alive = true;
  ~Global() {
    alive = false;
    globals++;
  }
} global;
thread_local Global of_thread;

void handler_one() {
  handlers++;
  std::atexit([] { handlers++; });  // registered while they run
}

}  // namespace

int main() {
  PRISTINE(handlers == 0 && globals == 0 && global.alive && of_thread.alive);
  MUST(std::atexit(handler_one) == 0);
  for (int i = 0; i < 40; i++) {  // more than the first block of libc's list has room for
    MUST(std::atexit([] { handlers++; }) == 0);
  }
  PRISTINE(never.try_lock());
  std::thread waits([] { never.lock(); });
  std::thread ends([] {
    MUST(of_thread.alive);
    std::exit(0);
  });
  waits.join();
}

// SPDX-License-Identifier: Apache-2.0
