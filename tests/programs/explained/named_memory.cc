// Memory of all kinds that two threads write one after the other, and an assertion that always
// fails: what is it called in a report, and how are its values written?
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

enum class State : uint8_t { open, closed };
struct Base {
  int inherited;
};
struct Slot : Base {
  State state;
  short numbers[2];
};
struct Connection {
  int id = 0;
  State state = State::open;
  ~Connection() {}  // so that an array of them knows how many there are
};
struct Fields {
  unsigned ready : 1, count : 3;
};

namespace net {
int total;
}
Slot slots[3];
Fields fields;
bool flag;
uint8_t small;
int* pointer;
std::atomic<State> state;
thread_local int own;
int* owned_by_main;

Slot* several;
Connection* array;
Connection* one;
int* numbers;
Connection* mapped;
std::shared_ptr<Connection> shared;
std::list<Connection> nodes;
std::vector<Slot> elements(4);
std::string text(40, 'a');
int* aimed;
void (*called)();

static int& calls() {
  static int count;
  return count;
}

[[gnu::noinline]] static void with_a_variable();

static void touch(int number) {
  net::total = -number;
  slots[2].inherited = -2;
  slots[1].numbers[1] = -3;
  fields.count = 5;
  flag = true;
  small = 200;
  pointer = nullptr;
  state = State::closed;
  *owned_by_main = -4;
  several[5].state = State::closed;
  array[1].id = -5;
  one->state = State::closed;
  numbers[3] = -6;
  mapped->id = -12;
  shared->id = -7;
  nodes.front().id = -8;
  elements[3].state = State::closed;
  text[3] = 'x';
  aimed = &slots[1].inherited;
  called = with_a_variable;
  --calls();
}

[[gnu::noinline]] static void with_a_variable() {
  int returned[64] = {};
  std::thread a([&] { returned[3] = -9; }), b([&] { returned[3] = -10; });
  a.join();
  b.join();
}

int main() {
  several = new Slot[8];
  array = new Connection[2];
  one = new Connection;
  numbers = new int[4];
  mapped = static_cast<Connection*>(
      mmap(nullptr, 1 << 12, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  shared = std::make_shared<Connection>();
  nodes.emplace_back();
  owned_by_main = &own;
  std::thread first(touch, 1), second(touch, 1);
  first.join();
  second.join();
  with_a_variable();
  int still_there = 0;
  std::thread third([&] { still_there = -11; }), fourth([&] { still_there = -11; });
  third.join();
  fourth.join();
  assert(net::total == 0 && still_there == 0);
}

// SPDX-License-Identifier: Apache-2.0
