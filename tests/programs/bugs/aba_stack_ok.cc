// fails: never
// aba_stack with a version number beside the head, which never comes back.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct Node {
  std::atomic<std::uint32_t> next{0};
  std::atomic<int> owners{0};
};

static Node nodes[3];
static std::atomic<std::uint64_t> head{
    0};  // version in the upper half, node number + 1 in the lower

static std::uint64_t successor(std::uint64_t old, std::uint32_t node) {
  return ((old >> 32) + 1) << 32 | node;
}

static void push(std::uint32_t node) {
  nodes[node - 1].owners--;
  std::uint64_t old = head;
  do {
    nodes[node - 1].next = static_cast<std::uint32_t>(old);
  } while (!head.compare_exchange_weak(old, successor(old, node)));
}

static std::uint32_t pop() {
  std::uint64_t old = head;
  for (;;) {
    const auto node = static_cast<std::uint32_t>(old);
    if (node == 0) return 0;
    if (!head.compare_exchange_weak(old, successor(old, nodes[node - 1].next))) continue;
    const int owners = ++nodes[node - 1].owners;
    assert(owners == 1);  // nobody else has it
    return node;
  }
}

static void recycle() {
  const std::uint32_t first = pop();
  const std::uint32_t second = pop();
  if (first) push(first);
  (void)second;  // kept
}

int main() {
  for (std::uint32_t i = 1; i <= 3; i++) {
    nodes[i - 1].owners = 1;
    push(i);
  }
  std::thread a(recycle), b(recycle);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
