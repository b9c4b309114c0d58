// build: -latomic
// std::atomic of every width, pointers, floating point, enums, structs; std::atomic_ref; run-time
// memory orders.
#include <atomic>
#include <cstdint>
#include <thread>

#include "../check.h"

struct Pair {
  std::int64_t a, b;
  bool operator==(const Pair&) const = default;
};
struct Small {
  char c[3];
};
enum class Colour : unsigned short { red, green };

template <class T>
static void integers() {
  std::atomic<T> x{T(1)};
  CHECK_EQ(x++, 1);
  CHECK_EQ(++x, 3);
  CHECK_EQ(x--, 3);
  CHECK_EQ(--x, 1);
  CHECK_EQ(x += 6, 7);
  CHECK_EQ(x -= 1, 6);
  CHECK_EQ(x |= 1, 7);
  CHECK_EQ(x &= 5, 5);
  CHECK_EQ(x ^= 1, 4);
  CHECK_EQ(x.exchange(9), 4);
  T want = 0;
  CHECK(!x.compare_exchange_strong(want, 2));
  CHECK_EQ(want, 9);
  CHECK(x.compare_exchange_strong(want, 2, std::memory_order_acq_rel, std::memory_order_relaxed));
  CHECK_EQ(x.load(std::memory_order_acquire), 2);
  T plain = 3;
  std::atomic_ref<T> ref(plain);
  CHECK_EQ(ref.fetch_add(4), 3);
  CHECK_EQ(ref.load(), 7);
}

// The order is known only at run time: one hook with a variable order, or a switch.
__attribute__((noinline)) static int load_with(std::atomic<int>& x, std::memory_order order) {
  return x.load(order);
}
__attribute__((noinline)) static int add_with(std::atomic<int>& x, std::memory_order order) {
  return x.fetch_add(1, order);
}

int main() {
  integers<std::int8_t>();
  integers<std::uint16_t>();
  integers<std::int32_t>();
  integers<std::uint64_t>();

  int array[4] = {0, 1, 2, 3};
  std::atomic<int*> p{array};
  CHECK_EQ(*p++, 0);
  CHECK_EQ(*(p += 2), 3);
  CHECK_EQ(*p.fetch_sub(3), 3);
  CHECK_EQ(*p, 0);

  std::atomic<double> d{1.5};
  CHECK(d.fetch_add(1.0) == 1.5 && d == 2.5);
  std::atomic<float> f{1};
  CHECK(f.exchange(2) == 1 && f == 2);

  std::atomic<Colour> colour{Colour::red};
  CHECK(colour.exchange(Colour::green) == Colour::red);

  std::atomic<Pair> pair{Pair{1, 2}};
  Pair want{1, 2};
  CHECK(pair.compare_exchange_strong(want, Pair{3, 4}));
  CHECK((pair.load() == Pair{3, 4}));
  std::atomic<Small> small{Small{{1, 2, 3}}};
  CHECK_EQ(small.load().c[2], 3);

  std::atomic<int> n{0};
  auto work = [&] {
    for (int i = 0; i < 50; i++) {
      add_with(n, std::memory_order_relaxed);
      add_with(n, std::memory_order_seq_cst);
      CHECK(load_with(n, std::memory_order_acquire) >= 2);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  CHECK_EQ(n.load(), 200);

  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  CHECK(!flag.test());
  CHECK(!flag.test_and_set());
  CHECK(flag.test_and_set(std::memory_order_acquire));
  flag.clear(std::memory_order_release);
  CHECK(!flag.test(std::memory_order_relaxed));
  return check_passed("hooks_atomics_cxx");
}

// SPDX-License-Identifier: Apache-2.0
