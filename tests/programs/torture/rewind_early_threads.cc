// Threads that came and went before main: runs count on from there, and use what they left.
#include <atomic>
#include <thread>

#include "pristine.h"

namespace {

std::atomic<int> ended;
thread_local int mine = 1;

void work() {
  PRISTINE(mine == 1);
  mine = 7;
  ended++;
}

struct Early {
  Early() {
    std::thread a(work), b(work), c(work);
    b.join(), a.join(), c.join();
  }
} early;

}  // namespace

int main() {
  PRISTINE(ended == 3 && mine == 1);
  std::thread a(work), b(work);
  a.join(), b.join();
  std::thread(work).join();
  MUST(ended == 6);
  mine = 8;
}

// SPDX-License-Identifier: Apache-2.0
