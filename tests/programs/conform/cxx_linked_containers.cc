// SPDX-License-Identifier: Apache-2.0
// Lists and trees of the library behave while there are several threads: compared with vectors.
#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "../check.h"

static unsigned next_number(unsigned& state) { return (state = state * 1103515245 + 12345) >> 16; }

static void use_lists(unsigned state) {
  std::list<int> list, spare;
  std::vector<int> expected;
  for (int i = 0; i < 300; ++i) {
    const unsigned number = next_number(state);
    const auto at = static_cast<long>(expected.empty() ? 0 : number % expected.size());
    switch (number % 7) {
      case 0:
      case 1:
        list.insert(std::next(list.begin(), at), i);
        expected.insert(expected.begin() + at, i);
        break;
      case 2:
        if (expected.empty()) break;
        list.erase(std::next(list.begin(), at));
        expected.erase(expected.begin() + at);
        break;
      case 3:
        if (expected.empty()) break;
        list.splice(list.begin(), list, std::next(list.begin(), at));
        std::rotate(expected.begin(), expected.begin() + at, expected.begin() + at + 1);
        break;
      case 4:
        list.splice(list.end(), list, list.begin(), std::next(list.begin(), at));
        std::rotate(expected.begin(), expected.begin() + at, expected.end());
        break;
      case 5:
        list.reverse();
        std::reverse(expected.begin(), expected.end());
        break;
      default:
        list.swap(spare);
        spare.sort();
        CHECK(std::is_sorted(spare.begin(), spare.end()));
        list.swap(spare);
        std::sort(expected.begin(), expected.end());
    }
    CHECK(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
    CHECK(std::equal(list.rbegin(), list.rend(), expected.rbegin(), expected.rend()));
  }
}

static void use_trees(unsigned state) {
  std::map<int, int> map;
  std::set<int> other;
  std::vector<int> expected;  // sorted
  for (int i = 0; i < 600; ++i) {
    const int key = static_cast<int>(next_number(state) % 64);
    const auto at = std::lower_bound(expected.begin(), expected.end(), key);
    const bool is_there = at != expected.end() && *at == key;
    if (next_number(state) % 2 == 0) {
      CHECK_EQ(map.emplace(key, i).second, !is_there);
      other.insert(key);
      if (!is_there) expected.insert(at, key);
    } else {
      CHECK_EQ(map.erase(key), is_there);
      other.erase(key);
      if (is_there) expected.erase(at);
    }
    size_t n = 0;
    for (const auto& [k, v] : map) CHECK_EQ(k, expected[n++]);
    CHECK_EQ(n, expected.size());
    for (auto it = other.end(); it != other.begin();) CHECK_EQ(*--it, expected[--n]);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (unsigned i = 1; i <= 2; ++i) {
    threads.emplace_back(use_lists, i);
    threads.emplace_back(use_trees, i);
  }
  for (std::thread& thread : threads) thread.join();
  return check_passed("cxx_linked_containers");
}
