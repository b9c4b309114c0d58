// fails: abort (some schedules)
// The ABA problem of a lock-free stack. Shown when a pop reads head and its next, another thread
// pops both nodes and pushes the first one back, and the first pop's compare-exchange then succeeds
// with the stale next.
#undef NDEBUG  // the assertion is the point
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<int> owners{0};
};

static Node nodes[3];
static std::atomic<Node*> head{nullptr};

static void push(Node* n) {
  n->owners--;
  Node* old = head;
  do {
    n->next = old;
  } while (!head.compare_exchange_weak(old, n));
}

static Node* pop() {
  Node* n = head;
  while (n && !head.compare_exchange_weak(n, n->next)) {
  }
  if (n) {
    const int owners = ++n->owners;
    assert(owners == 1);  // nobody else has it
  }
  return n;
}

static void recycle() {
  Node* first = pop();
  Node* second = pop();
  if (first) push(first);
  (void)second;  // kept
}

int main() {
  for (auto& n : nodes) {
    n.owners = 1;
    push(&n);
  }
  std::thread a(recycle), b(recycle);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
