// Atomics of sizes for which there are no instructions: the compiler calls a library.
// build: -latomic
#include <atomic>

#include "counted.h"

template <int kSize>
struct Bytes {
  unsigned char first, others[kSize - 1];
};

template <int kSize>
struct Odd {
  static inline std::atomic<Bytes<kSize>> word;
  static void load(int) { word.load(); }
  static void store(int) { word.store({1, {}}); }
  static void add_in_two_steps(int) {
    Bytes<kSize> value = word.load();
    ++value.first;
    word.store(value);
  }
  static void exchange(int i) { word.exchange({static_cast<unsigned char>(i), {}}); }
  static void add(int) {
    Bytes<kSize> value = word.load(), more;
    do {
      more = value;
      ++more.first;
    } while (!word.compare_exchange_strong(value, more));
  }
};

COUNTED(three_read) { start<Odd<3>::load>(), start<Odd<3>::load>(), start<Odd<3>::store>(); }
COUNTED(three_in_two_steps) { start_each<Odd<3>::add_in_two_steps>(n); }
COUNTED(twelve_in_two_steps) { start_each<Odd<12>::add_in_two_steps>(n); }
COUNTED(twelve_exchange) { start_each<Odd<12>::exchange>(n); }
COUNTED(forty_in_two_steps) { start_each<Odd<40>::add_in_two_steps>(n); }
COUNTED(forty_add) { start_each<Odd<40>::add>(n); }

// SPDX-License-Identifier: Apache-2.0
