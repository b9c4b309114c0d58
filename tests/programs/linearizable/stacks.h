// SPDX-License-Identifier: Apache-2.0
// Treiber stacks; those whose nodes come from a pool have the ABA problem, or tags against it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

// Treiber's, with nodes that are never freed.
class LeakingStack {
 public:
  void push(int value) {
    Node* node = new Node{value, top_.load()};
    while (!top_.compare_exchange_weak(node->next, node)) {
    }
  }
  std::optional<int> pop() {
    Node* node = top_.load();
    while (node && !top_.compare_exchange_weak(node, node->next)) {
    }
    if (!node) return std::nullopt;
    return node->value;
  }

 private:
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> top_{nullptr};
};

// Heads are 16 bits of index + 1 and 48 bits of a tag, which counts changes if kTagged.
template <bool kTagged>
class PoolStack {
 public:
  PoolStack() {
    for (int i = 0; i < kNodes; ++i) give(free_, i);
  }
  void push(int value) {
    const int node = take(free_);
    if (node < 0) return;
    nodes_[node].value = value;
    give(top_, node);
  }
  std::optional<int> pop() {
    const int node = take(top_);
    if (node < 0) return std::nullopt;
    const int value = nodes_[node].value;
    give(free_, node);
    return value;
  }

 private:
  static constexpr int kNodes = 16;
  struct Node {
    std::atomic<int> next{-1};
    int value = 0;
  };
  static int index_of(uint64_t head) { return static_cast<int>(head & 0xFFFF) - 1; }
  static uint64_t head_of(int node, uint64_t before) {
    const uint64_t tag = kTagged ? (before >> 16) + 1 : 0;
    return tag << 16 | static_cast<uint64_t>(node + 1);
  }
  void give(std::atomic<uint64_t>& list, int node) {
    uint64_t head = list.load();
    do {
      nodes_[node].next.store(index_of(head));
    } while (!list.compare_exchange_weak(head, head_of(node, head)));
  }
  int take(std::atomic<uint64_t>& list) {
    uint64_t head = list.load();
    for (;;) {
      const int node = index_of(head);
      if (node < 0) return -1;
      const int next = nodes_[node].next.load();
      if (list.compare_exchange_weak(head, head_of(next, head))) return node;
    }
  }

  Node nodes_[kNodes];
  std::atomic<uint64_t> top_{0}, free_{0};
};
