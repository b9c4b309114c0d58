// Pipes, poll and eventfd: who reads what, which descriptor is ready first, descriptor numbers.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;

int main() {
  int p[3][2];
  for (auto& ends : p) {
    if (pipe(ends) != 0) return 2;
  }
  const int events = eventfd(0, EFD_SEMAPHORE);
  std::printf("descriptors relative to the first: %d %d\n", p[2][1] - p[0][0], events - p[0][0]);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&, i] {
      for (char c = 'a'; c < 'f'; c++) {
        if (write(p[i][1], &c, 1) != 1) std::abort();
      }
      close(p[i][1]);
    });
    threads.emplace_back([&, i] {
      std::uint64_t one = 0;
      if (read(events, &one, sizeof one) != sizeof one) std::abort();
      std::lock_guard<std::mutex> lock(mutex);
      std::printf("token for %d\n", i);
    });
  }
  int open_ends = 3;
  pollfd set[3] = {{p[0][0], POLLIN, 0}, {p[1][0], POLLIN, 0}, {p[2][0], POLLIN, 0}};
  while (open_ends > 0) {
    const int ready = poll(set, 3, -1);
    std::lock_guard<std::mutex> lock(mutex);
    std::printf("%d ready:", ready);
    for (auto& entry : set) {
      if (!entry.revents) continue;
      char buffer[2];
      const ssize_t n = read(entry.fd, buffer, sizeof buffer);
      std::printf(" %d gives %.*s", (int)(&entry - set), (int)n, buffer);
      if (n == 0) {
        entry.fd = -1;
        open_ends--;
      }
    }
    std::printf("\n");
  }
  const std::uint64_t tokens = 3;
  if (write(events, &tokens, sizeof tokens) != sizeof tokens) return 2;
  for (auto& t : threads) t.join();
}

// SPDX-License-Identifier: Apache-2.0
