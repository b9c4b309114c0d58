// fails: deadlock (always)
// Three threads each of which joins the next: a cycle of joins in every schedule.
#include <latch>
#include <thread>

static std::thread workers[3];
static std::latch all_started(1), all_done(3);

static void work(int id) {
  all_started.wait();
  workers[(id + 1) % 3].join();
  all_done.count_down();
}

int main() {
  for (int i = 0; i < 3; i++) workers[i] = std::thread(work, i);
  all_started.count_down();
  all_done.wait();
}

// SPDX-License-Identifier: Apache-2.0
