// fails: never
// reused_block where the old node lives until nobody reads it any more.
#include <atomic>
#include <thread>

struct Node {
  long value[4] = {1, 2, 3, 4};
};

static std::atomic<Node*> head{new Node};
static std::atomic<long> sum{0};
static Node* old;

static void read_head() {
  Node* node = head.load();
  sum = node->value[2];
}

static void replace_head() {
  old = head.load();
  head = new Node;
  delete new Node;
}

int main() {
  std::thread a(read_head), b(replace_head);
  a.join();
  b.join();
  delete old;
  delete head.load();
}

// SPDX-License-Identifier: Apache-2.0
