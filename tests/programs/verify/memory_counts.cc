// Loads, stores and increments of a few variables.
#include <atomic>
#include <cstring>

#include "counted.h"

static std::atomic<int> x, y, z, w;
static std::atomic<int> cells[32];

static void increment_x(int) { ++x; }
static void increment_two(int) { ++x, ++y; }
static void increment_three(int) { ++x, ++y, ++z; }
static void store_42(int) { x = 42; }
static void store_own(int i) { x = i + 1; }
static void load_x(int) { x.load(); }

COUNTED(ainc) { start_each<increment_x>(n); }
COUNTED(binc) { start_each<increment_two>(n); }
COUNTED(cinc) { start_each<increment_three>(n); }
COUNTED(wainc) {
  start<store_42>();
  start_each<increment_x>(n);
}
COUNTED(readers) {
  start<store_42>();
  start_each<load_x>(n);
}
COUNTED(writers) {
  start_each<store_own>(n);
  start<load_x>();
}

static void load_then_store(int) {
  const int before = x;
  x = before + 1;
}
COUNTED(inc) { start_each<load_then_store>(n); }

// The same without atomics: what races has orders, too.
static volatile int plain;
static void plain_increment(int) {
  const int before = plain;
  plain = before + 1;
}
COUNTED(plain_inc) { start_each<plain_increment>(n); }

// gcc would do these in place, without a hook.
static struct Block { int words[4]; } block, other_block;
static void fill_block(int i) {
  Block own = {{i, i, i, i}};
  std::memcpy(&block, &own, sizeof block);
}
static void clear_block(int) { std::memset(&other_block, 0, sizeof other_block); }
static void compare_block(int i) {
  const Block own = {{i, i, i, i}};
  if (std::memcmp(&other_block, &own, sizeof own) == 0) ++x;
}
COUNTED(block_writers) { start_each<fill_block>(n); }
COUNTED(block_readers) {
  start<clear_block>();
  start<compare_block>(1);
  start<compare_block>(2);
}
// What the copy has read is what was there when it read: the write of the copy comes later.
static void copy_block(int) { std::memcpy(&block, &other_block, sizeof block); }
static void write_both_blocks(int) {
  other_block.words[0] = 1;
  block.words[0] = 2;
}
COUNTED(copy_between) {
  start<copy_block>();
  start<write_both_blocks>();
}

static void find_last_zero(int n) {
  for (int i = n; cells[i] != 0; --i) {
  }
}
static void set_to_next(int j) { cells[j] = cells[j - 1] + 1; }
COUNTED(lastzero) {
  start<find_last_zero>(n);
  for (int j = 1; j <= n; ++j) start<set_to_next>(j);
}

static void add_to_x(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int a = x, b = y;
    x = a + b;
  }
}
static void add_to_y(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int a = x, b = y;
    y = a + b;
  }
}
static void look_at_both(int) {
  if (x <= 144) y.load();
}
COUNTED(fib_bench) {
  x = y = 1;
  start<add_to_x>(n);
  start<add_to_y>(n);
  start<look_at_both>();
}

static void coherence_y(int) { x = 1, y.load(), x.load(); }
static void coherence_z(int) { x = 2, z.load(), x.load(); }
static void coherence_writer(int i) { y = i, z = i; }
COUNTED(coa) {
  start<coherence_y>();
  start<coherence_z>();
  start_each<coherence_writer>(n);
}

static void big_reader(int) {
  x.load(), y.load(), z.load(), w.load();
  x.load(), y.load(), z.load();
}
static void small_reader(int) { x.load(), y.load(), z.load(); }
static void writer_of_x_and_y(int) { x = 1, y = 1, x = 2, y = 2, x = 3, y = 3; }
static void writer_of_z_and_w(int) { z = 1, w = 1, z = 2, w = 2, z = 3, w = 3; }
COUNTED(big0) {
  start<big_reader>();
  start<small_reader>();
  start<writer_of_x_and_y>();
  start<writer_of_z_and_w>();
}

// Of different sizes in one place.
static volatile char bytes[8] __attribute__((aligned(8)));
static void write_byte(int i) { bytes[i] = 1; }
static void write_all(int) { *reinterpret_cast<volatile long*>(const_cast<char*>(bytes)) = 2; }
COUNTED(overlapping) {
  start_each<write_byte>(n);
  start<write_all>();
}

// SPDX-License-Identifier: Apache-2.0
