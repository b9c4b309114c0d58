// Lock-free code whose every step depends on the schedule: CAS failures counted, a stack's final
// order, spin counts.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Node {
  int owner, number;
  Node* next;
};

int main() {
  std::atomic<Node*> head{nullptr};
  std::atomic<int> turn{0};
  std::vector<int> failures(5), spins(5);
  int racy = 0;  // plain on purpose: its final value is the schedule's
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; i++) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 8; k++) {
        auto* node = new Node{i, k, head.load()};
        while (!head.compare_exchange_weak(node->next, node)) failures[(size_t)i]++;
        racy = racy + 1;
      }
      while (turn != i) {
        spins[(size_t)i]++;
        std::this_thread::yield();
      }
      turn++;
    });
  }
  for (auto& t : threads) t.join();
  for (Node* n = head; n;) {
    std::printf("%d.%d ", n->owner, n->number);
    Node* next = n->next;
    delete n;
    n = next;
  }
  std::printf("\nracy %d\n", racy);
  for (size_t i = 0; i < 5; i++)
    std::printf("thread %zu: %d failures, %d spins\n", i, failures[i], spins[i]);
}

// SPDX-License-Identifier: Apache-2.0
