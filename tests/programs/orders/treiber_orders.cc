// fails: never
// Treiber's stack with the default order everywhere. Who pushes releases the node, who pops has to
// acquire it wherever it learns of one: by the load, and by a compare-exchange that fails. One that
// succeeds needs nothing, as it goes on with the release sequence of the node below, but must not
// be weaker than one that fails.
#include <assert.h>

#include <atomic>
#include <thread>

namespace {

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> top;

void push(Node* node) {
  node->next = top.load();
  while (!top.compare_exchange_strong(node->next, node)) {
  }
}

int pop() {
  Node* node = top.load();
  while (node != nullptr && !top.compare_exchange_strong(node, node->next)) {
  }
  return node == nullptr ? 0 : node->value;
}

Node nodes[2];

}  // namespace

int main() {
  std::thread other([] {
    nodes[0].value = 1;
    push(&nodes[0]);
  });
  nodes[1].value = 2;
  push(&nodes[1]);
  int sum = pop();
  other.join();
  sum += pop() + pop();
  assert(sum == 3);
}

// SPDX-License-Identifier: Apache-2.0
