// The least a threaded program can do.
#include <thread>

int main() {
  std::thread a([] {}), b([] {});
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
