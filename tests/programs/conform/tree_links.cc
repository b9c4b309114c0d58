// SPDX-License-Identifier: Apache-2.0
// Trees of the library stay what they are, whatever is inserted and removed.
#include <bits/stl_tree.h>

#include <functional>
#include <thread>
#include <vector>

#include "../check.h"

using Tree = std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>>;

static void work(unsigned seed) {
  Tree tree;
  std::vector<bool> there(32);
  for (int i = 0; i < 120; ++i) {
    seed = seed * 1103515245 + 12345;
    const int key = static_cast<int>(seed >> 16) % 32;
    // Grows at first, shrinks at last.
    const bool removes = static_cast<int>(seed >> 8) % 120 < i;
    if (removes) {
      CHECK(tree.erase(key) == there[key]);
    } else {
      CHECK(tree._M_insert_unique(key).second != there[key]);
    }
    there[key] = !removes;
    CHECK(tree.__rb_verify());
  }
  int key = 0;
  for (const int each : tree) {
    while (!there[key]) ++key;
    CHECK(each == key++);
  }
  for (auto at = tree.end(); at != tree.begin();) {
    do --key;
    while (!there[key]);
    CHECK(*--at == key);
  }
}

int main() {
  std::thread one(work, 1), two(work, 2);
  one.join();
  two.join();
}
