// Two nodes of a list, made by one line, that are locked in the order of the arguments.
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  std::mutex mutex;
  int value = 0;
};

void move_value(Node& from, Node& to) {
  std::lock_guard<std::mutex> first(from.mutex);
  std::lock_guard<std::mutex> second(to.mutex);
  to.value += from.value;
}

int main() {
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 2; ++i) {
    nodes.push_back(std::make_unique<Node>());
  }
  std::thread there([&] { move_value(*nodes[0], *nodes[1]); });
  std::thread back([&] { move_value(*nodes[1], *nodes[0]); });
  there.join();
  back.join();
}

// SPDX-License-Identifier: Apache-2.0
