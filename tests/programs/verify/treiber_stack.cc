#include <atomic>
#include <thread>
struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> top{nullptr};
void push(int v) {
  Node* n = new Node{v, top.load()};
  while (!top.compare_exchange_weak(n->next, n)) {
  }
}
int pop() {
  Node* n = top.load();
  while (n && !top.compare_exchange_weak(n, n->next)) {
  }
  return n ? n->value : -1;
}
int main() {
  std::thread a([] {
    push(1);
    pop();
  }),
      b([] {
        push(3);
        pop();
      });
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
