// fails: never
// data_race with an atomic counter.
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<long> bytes_sent;

static void send(long n) { bytes_sent += n; }

int main() {
  std::thread a(send, 10), b(send, 20);
  a.join();
  b.join();
  std::printf("%s\n", bytes_sent > 0 ? "sent" : "nothing");
}

// SPDX-License-Identifier: Apache-2.0
