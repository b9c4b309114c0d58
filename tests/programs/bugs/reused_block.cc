// fails: heap use-after-free (some schedules)
// The freed node's memory is asked for again at once, in the same size. Shown when the reader comes
// after both: what it reads is another object's.
#include <atomic>
#include <thread>

struct Node {
  long value[4] = {1, 2, 3, 4};
};

static std::atomic<Node*> head{new Node};
static std::atomic<long> sum{0};

static void read_head() {
  Node* node = head.load();
  sum = node->value[2];
}

static void replace_head() {
  Node* old = head.load();
  head = new Node;
  delete old;
  delete new Node;
}

int main() {
  std::thread a(read_head), b(replace_head);
  a.join();
  b.join();
  delete head.load();
}

// SPDX-License-Identifier: Apache-2.0
