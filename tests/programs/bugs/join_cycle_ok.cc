// fails: never
// join_cycle cut open: the last thread joins nobody, main joins the first.
#include <latch>
#include <thread>

static std::thread workers[3];
static std::latch all_started(1);

static void work(int id) {
  all_started.wait();
  if (id < 2) workers[id + 1].join();
}

int main() {
  for (int i = 0; i < 3; i++) workers[i] = std::thread(work, i);
  all_started.count_down();
  workers[0].join();
}

// SPDX-License-Identifier: Apache-2.0
