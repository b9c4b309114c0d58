// Everybody gives back what it takes. The semaphore of libstdc++ 12 can sleep for ever all the
// same.
#include <semaphore>
#include <thread>

struct Pool {
  int size = 1;
  std::counting_semaphore<4> slots{1};
};

static void work(std::counting_semaphore<4>& slots) {
  for (int i = 0; i < 2; ++i) {
    slots.acquire();
    slots.release();
  }
}

int main() {
  Pool pool;
  std::thread a(work, std::ref(pool.slots)), b(work, std::ref(pool.slots)),
      c(work, std::ref(pool.slots));
  a.join();
  b.join();
  c.join();
}

// SPDX-License-Identifier: Apache-2.0
