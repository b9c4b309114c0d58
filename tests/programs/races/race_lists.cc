// How races are listed: what a person would fix once is one entry. The words behind the names only
// say that there are races; tests/e2e/races_test.cc looks at the lists.
#include <atomic>
#include <map>

#include "scenario.h"

struct Point {
  long x, y, z;
};
Point from, to;
__attribute__((noipa)) static void keep(Point*) {}

// Three words of a struct, read and written in one line each.
SCENARIO(struct_copy, racy) {
  together(
      [] {
        to = from;  // the copy
        keep(&to);
      },
      [] {
        to = Point{1, 2, 3};  // the other copy
        keep(&to);
      });
}

long counter;
// Reads and writes of the same line.
SCENARIO(one_line, racy) {
  together([] { ++counter; }, [] { --counter; });
}

struct Pair {
  long first, second;
} pair;
SCENARIO(two_members, racy) {
  together([] { pair.first = 1; }, [] { pair.first = 2; }, [] { pair.second = 3; },
           [] { pair.second = 4; });
}

// Inside of the library there are many places.
std::map<int, int> table;
static void insert(int from_key) {
  for (int i = 0; i < 4; ++i) table[from_key + i] = i;  // the caller's line
}
SCENARIO(library, racy) {
  together([] { insert(0); }, [] { insert(100); });
}

struct Connection {
  long fd, state, sent, received, errors;
};
// One delete, and five lines that use the block.
SCENARIO(one_delete, racy) {
  auto* connection = new Connection{};
  together(
      [connection] {
        connection->fd = 1;
        connection->state = 2;
        connection->sent = 3;
        connection->received = 4;
        connection->errors = 5;
      },
      [connection] { delete connection; });
}

// The old idiom: nothing but volatile accesses.
volatile int ready;
volatile long published;
SCENARIO(volatile_flag, racy) {
  together(
      [] {
        published = 7;
        ready = 1;
      },
      [] {
        if (ready) sink = published;
      });
}

// Fences order relaxed atomics, and so what is plain.
long payload;
SCENARIO(volatile_with_fences, racy) {
  together(
      [] {
        payload = 7;
        std::atomic_thread_fence(std::memory_order_release);
        ready = 1;
      },
      [] {
        if (!ready) return;
        std::atomic_thread_fence(std::memory_order_acquire);
        sink = payload;
      });
}

// Volatile on one side only.
long mixed;
SCENARIO(volatile_and_plain, racy) {
  together([] { mixed = 1; }, [] { *const_cast<volatile long*>(&mixed) = 2; });
}

// Without fences a flag orders nothing.
SCENARIO(volatile_publishes_plain, racy) {
  together(
      [] {
        payload = 7;
        ready = 1;
      },
      [] {
        if (ready) sink = payload;
      });
}

// Many races, of which a run has one: as many replays as there are races.
long many[24];
#define WRITE(n) \
  case n:        \
    many[n] = 1; \
    break;
__attribute__((noipa)) static void write(int which) {
  switch (which) {
    WRITE(0)
    WRITE(1)
    WRITE(2)
    WRITE(3)
    WRITE(4)
    WRITE(5)
    WRITE(6)
    WRITE(7)
    WRITE(8)
    WRITE(9)
    WRITE(10)
    WRITE(11)
    WRITE(12)
    WRITE(13)
    WRITE(14)
    WRITE(15)
    WRITE(16)
    WRITE(17)
    WRITE(18)
    WRITE(19)
    WRITE(20)
    WRITE(21)
    WRITE(22)
    WRITE(23)
  }
}
std::atomic<int> turn;
SCENARIO(many, racy) {
  together(
      [] {
        for (int i = 0; i < 24; ++i) {
          turn.store(i, std::memory_order_relaxed);
          write(i);
        }
      },
      [] { write(turn.load(std::memory_order_relaxed)); });
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
