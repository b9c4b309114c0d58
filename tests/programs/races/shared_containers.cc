// build: -std=c++17
// SPDX-License-Identifier: Apache-2.0
// Containers of nodes that several threads use: the links are changed and followed inside of
// libstdc++.so. Nothing else of the container is touched here: no size, no element.
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <set>

#include "scenario.h"

namespace {
std::mutex mutex;

// Nobody destroys what a race has left of it.
template <typename Type>
Type& left() {
  return *new Type{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
}

// What the two threads do, without and with a lock.
#define SHARED(name, type, one, other)                         \
  SCENARIO(name, racy) {                                       \
    type& it = left<type>();                                   \
    [[maybe_unused]] const auto at = std::next(it.begin(), 2); \
    together([&] { one; }, [&] { other; });                    \
  }                                                            \
  SCENARIO(name##_locked, clean) {                             \
    type it{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};           \
    [[maybe_unused]] const auto at = std::next(it.begin(), 2); \
    together(                                                  \
        [&] {                                                  \
          const std::lock_guard lock(mutex);                   \
          one;                                                 \
        },                                                     \
        [&] {                                                  \
          const std::lock_guard lock(mutex);                   \
          other;                                               \
        });                                                    \
  }

using List = std::list<std::pair<int, int>>;
using Map = std::map<int, int>;
using Set = std::set<std::pair<int, int>>;

SHARED(list_moves, List, it.splice(it.begin(), it, at),
       it.splice(it.end(), it, std::next(it.begin())))
SHARED(list_end, List, it.splice(it.end(), it, at), sink = std::prev(it.end()) == it.begin())
SHARED(list_reverse, List, it.reverse(), sink = std::next(at) == it.end())
SHARED(map_erase, Map, it.erase(it.begin()), sink = std::prev(at) == it.end())
SHARED(map_insert, Map, it[6] = 6, sink = std::next(at, 3) == it.end())
SHARED(set_erase, Set, it.erase(std::prev(it.end())), sink = std::next(at, 2) == it.end())

#undef SHARED
}  // namespace

// Each has its own.
SCENARIO(own_containers, clean) {
  const auto body = [] {
    List list{{1, 1}, {2, 2}};
    list.splice(list.begin(), list, std::next(list.begin()));
    list.reverse();
    Map map;
    for (int i = 0; i < 9; ++i) map[i * 5 % 9] = i;
    for (int i = 0; i < 9; ++i) map.erase(i);
  };
  together(body, body);
}

// Of two threads each follows what nobody changes.
SCENARIO(readers, clean) {
  const Map map{{1, 1}, {2, 2}, {3, 3}};
  const auto body = [&] {
    for (const auto& [key, value] : map) sink = key + value;
  };
  together(body, body);
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }
