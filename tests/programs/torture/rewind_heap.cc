// A large heap from before main, written here and there; blocks that give their pages back.
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "pristine.h"

namespace {

constexpr size_t kBig = 32 << 20;
unsigned char* big;
std::vector<void*> freed_before;
void* to_be_freed;
void* to_be_grown;
std::mutex mutex;
unsigned sum_of_order;

__attribute__((constructor(200))) void allocate() {
  big = static_cast<unsigned char*>(std::malloc(kBig));
  for (size_t i = 0; i < kBig; i += 8192) big[i] = static_cast<unsigned char>(i >> 13);
  for (size_t size = 16; size < (4 << 20); size *= 2) {
    void* p = std::malloc(size);
    std::memset(p, 0x5a, size);
    std::free(p);
  }
  to_be_freed = std::malloc(3 << 20);
  std::memset(to_be_freed, 1, 3 << 20);
  to_be_grown = std::malloc(100);
  std::strcpy(static_cast<char*>(to_be_grown), "before");
}

// Not instrumented: eight thousand events that say nothing.
__attribute__((no_sanitize("thread"))) bool is_as_before() {
  for (size_t i = 0; i < kBig; i += 8192) {
    if (big[i] != static_cast<unsigned char>(i >> 13)) return false;
  }
  return true;
}

void work(unsigned number) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    sum_of_order = sum_of_order * 31 + number;
  }
  // Where it writes depends on who comes first.
  for (unsigned i = 0; i < 20; i++) {
    const size_t at = (sum_of_order * 2654435761u + i * 40961u) % (kBig / 3) * 3;
    big[at] ^= 0xff;
  }
  std::unique_ptr<unsigned char[]> block(new unsigned char[1 << 20]);
  block[12345] = 1;
  std::lock_guard<std::mutex> lock(mutex);
  void* p = std::malloc((2 << 20) + number);
  std::memset(p, 9, 4096);
  if (number) std::free(p);
}

}  // namespace

int main() {
  PRISTINE(is_as_before());
  PRISTINE(sum_of_order == 0 && *static_cast<char*>(to_be_freed) == 1);
  PRISTINE(static_cast<char*>(to_be_freed)[2 << 20] == 1);
  PRISTINE(std::strcmp(static_cast<char*>(to_be_grown), "before") == 0);
  std::thread a(work, 1), b(work, 2), c(work, 0);
  a.join(), b.join(), c.join();
  std::free(to_be_freed);
  to_be_grown = std::realloc(to_be_grown, 100000);
  std::memset(to_be_grown, 3, 100000);
}

// SPDX-License-Identifier: Apache-2.0
