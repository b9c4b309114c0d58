// operator new and delete in every form: aligned, nothrow, arrays, bad_alloc, a new_handler,
// placement, allocators.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <new>
#include <thread>
#include <vector>

#include "../check.h"

struct alignas(128) Wide {
  char bytes[200];
};
struct Counted {
  Counted() { alive++; }
  ~Counted() { alive--; }
  static thread_local int alive;
  int value = 3;
};
thread_local int Counted::alive = 0;

static std::size_t opaque(std::size_t n) {
  __asm__ volatile("" : "+r"(n));
  return n;
}

static int handler_calls;
static void handler() {
  if (++handler_calls == 2) std::set_new_handler(nullptr);
}

static void work() {
  for (int i = 0; i < 20; i++) {
    auto* wide = new Wide;
    CHECK_EQ((std::uintptr_t)wide % 128, 0);
    memset(wide->bytes, i, sizeof wide->bytes);
    delete wide;
    auto* many = new Wide[3];
    CHECK_EQ((std::uintptr_t)many % 128, 0);
    delete[] many;
    auto* counted = new Counted[5];
    CHECK_EQ(Counted::alive, 5);
    delete[] counted;
    CHECK_EQ(Counted::alive, 0);
    void* raw = ::operator new(opaque(100), std::align_val_t(4096));
    CHECK_EQ((std::uintptr_t)raw % 4096, 0);
    ::operator delete(raw, std::align_val_t(4096));
    raw = ::operator new(opaque(40), std::nothrow);
    CHECK(raw);
    ::operator delete(raw, std::nothrow);
    raw = ::operator new[](opaque(0));
    CHECK(raw);
    ::operator delete[](raw);
    alignas(Counted) unsigned char room[sizeof(Counted)];
    auto* placed = new (room) Counted;
    CHECK_EQ(placed->value, 3);
    placed->~Counted();
  }
}

int main() {
  work();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) threads.emplace_back(work);
  for (auto& t : threads) t.join();

  try {
    ::operator delete(::operator new(opaque(SIZE_MAX / 2)));
    CHECK(!"no exception");
  } catch (const std::bad_alloc&) {
  }
  CHECK(::operator new(opaque(SIZE_MAX / 2), std::nothrow) == nullptr);
  try {
    int* p = new int[opaque(SIZE_MAX / 2)];
    __asm__ volatile("" : "+r"(p) : : "memory");  // a compiler may drop a pair of new and delete
    delete[] p;
    CHECK(!"no exception");
  } catch (const std::bad_alloc&) {  // or bad_array_new_length, which is one
  }
  std::set_new_handler(handler);
  CHECK(std::get_new_handler() == handler);
  try {
    ::operator delete(::operator new(opaque(SIZE_MAX / 2)));
    CHECK(!"no exception");
  } catch (const std::bad_alloc&) {
  }
  CHECK_EQ(handler_calls, 2);

  // A polymorphic resource shared by threads.
  std::pmr::synchronized_pool_resource pool;
  threads.clear();
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&pool, i] {
      std::pmr::vector<int> v(&pool);
      for (int k = 0; k < 300; k++) v.push_back(k * i);
      CHECK_EQ(v[299], 299 * i);
    });
  }
  for (auto& t : threads) t.join();
  return check_passed("heap_new_delete");
}

// SPDX-License-Identifier: Apache-2.0
