// fails: race (always)
// A data race and nothing else: the statistics counter is plain, nobody checks it, the exit status
// is always 0. A race in every schedule; what may differ is which access comes first.
#include <cstdio>
#include <thread>

static long bytes_sent;

static void send(long n) { bytes_sent += n; }

int main() {
  std::thread a(send, 10), b(send, 20);
  a.join();
  b.join();
  std::printf("%s\n", bytes_sent > 0 ? "sent" : "nothing");
}

// SPDX-License-Identifier: Apache-2.0
