// SPDX-License-Identifier: Apache-2.0
// Links of lists and trees: what changes and follows them is in libstdc++.so.
#include <list>
#include <map>
#include <mutex>
#include <set>

#include "counted.h"

static std::list<int> all{1, 2, 3}, one{4};
static std::set<int> tree{1, 2, 3}, other{4};
static const auto first = tree.begin(), last = std::prev(tree.end());
static std::mutex mutex;
static volatile bool used;

// ---- lists: three nodes, and one that is moved behind them -----------------------------------

static void move_behind(int) { all.splice(all.end(), one); }
static void move_locked(int i) {
  const std::lock_guard guard(mutex);
  all.splice(i == 0 ? all.begin() : all.end(), all, std::next(all.begin()));
}
static void look_at_front(int) { used = all.begin() == all.end(); }
static void look_at_back(int) { used = std::prev(all.end()) == all.end(); }

COUNTED(list_front) {
  start<move_behind>();
  start<look_at_front>();
}
COUNTED(list_back) {
  start<move_behind>();
  start<look_at_back>();
}
COUNTED(list_locked) { start_each<move_locked>(n); }

// ---- trees: 2 is the root; 4 comes below 3, which becomes black as 1 does ---------------------

static void insert(int) { tree.insert(other.extract(other.begin())); }
static void step_from_first(int) { used = std::next(first) == tree.end(); }
// Either 4 hangs there already; or the head is asked, too, before it has the new last node, or
// behind that.
static void step_from_last(int) { used = std::next(last) == tree.end(); }

COUNTED(tree_elsewhere) {
  start<insert>();
  start<step_from_first>();
}
COUNTED(tree_here) {
  start<insert>();
  start<step_from_last>();
}

// Two maps with a lock each. Who follows the links of a tree of one node asks its head twice: that
// is no loop which waits.
static std::map<int, int> parts[2];
static std::mutex part_mutexes[2];
static void put() {
  const std::lock_guard guard(part_mutexes[0]);
  parts[0][0] = 1;
}
static void sum() {
  const std::scoped_lock both(part_mutexes[0], part_mutexes[1]);
  int all_values = 0;
  for (const auto& part : parts) {
    for (const auto& [key, value] : part) all_values += value;
  }
  used = all_values != 0;
}
static void put_and_sum(int) {
  put();
  sum();
}
static void sum_twice(int) {
  sum();
  sum();
}
COUNTED(trees_walked) {
  start<put_and_sum>();
  start<sum_twice>();
}
