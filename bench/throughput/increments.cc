// usage: increments N: two threads that add to one atomic N times each, and nothing else.
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> value;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 5;
  const auto work = [n] {
    for (int i = 0; i < n; ++i) value.fetch_add(1);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
