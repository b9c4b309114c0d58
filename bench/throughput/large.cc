// usage: large MEGABYTES PAGES: so much heap, filled before main; a run touches so many pages of
// it.
#include <cstdlib>
#include <cstring>
#include <thread>

static char* memory;
static size_t size, pages;

__attribute__((constructor)) static void fill(int argc, char** argv) {
  size = static_cast<size_t>(argc > 1 ? std::atoi(argv[1]) : 100) << 20;
  pages = static_cast<size_t>(argc > 2 ? std::atoi(argv[2]) : 20);
  memory = static_cast<char*>(std::malloc(size + 1));
  std::memset(memory, 1, size + 1);
}

int main() {
  std::thread a([] {}), b([] {});
  for (size_t i = 0; i < pages; ++i) memory[i * (size / pages)] = 2;
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
