// Threads that call the same functions are known by what they were started with; a member of a
// template by its name.
#include <cassert>
#include <thread>

template <typename T>
struct Cell {
  T value{};
  void expect(T wanted) { assert(value == wanted); }
};

Cell<long> cell;

void add(long amount) { cell.value += amount; }
void deposit() { add(2); }
void withdraw() { add(-1); }

int main() {
  std::thread first(deposit), second(withdraw);
  first.join();
  second.join();
  cell.expect(1);
}

// SPDX-License-Identifier: Apache-2.0
