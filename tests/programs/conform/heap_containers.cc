// Containers and strings under load: own ones per thread, one shared under a mutex.
#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "../check.h"

static std::mutex mutex;
static std::map<std::string, int> counts;
static std::vector<std::string> log_lines;

static void work(int id) {
  std::map<int, std::string> ordered;
  std::unordered_map<std::string, std::vector<int>> hashed;
  std::list<std::string> list;
  std::multiset<int> numbers;
  for (int i = 0; i < 150; i++) {
    const int key = (i * 37 + id) % 101;
    ordered[key] = std::string((size_t)(key + 1), (char)('a' + id));
    hashed["key" + std::to_string(key % 10)].push_back(i);
    list.push_front(ordered[key].substr(0, 30));
    numbers.insert(key);
    if (i % 3 == 0) ordered.erase(ordered.begin());
    if (list.size() > 20) list.pop_back();
    if (i % 10 == 0) {
      std::lock_guard<std::mutex> lock(mutex);
      counts["thread " + std::to_string(id)]++;
      counts["total of all the threads together"]++;
      log_lines.push_back(list.front());
    }
  }
  for (const auto& [key, text] : ordered) CHECK_EQ(text.size(), (size_t)key + 1);
  size_t sum = 0;
  for (const auto& [key, values] : hashed) {
    CHECK(std::is_sorted(values.begin(), values.end()));
    sum += values.size();
  }
  CHECK_EQ(sum, 150);
  CHECK_EQ(numbers.size(), 150);
  list.sort();
  CHECK(std::is_sorted(list.begin(), list.end()));
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; i++) threads.emplace_back(work, i);
  for (auto& t : threads) t.join();
  CHECK_EQ(counts.size(), 6);
  CHECK_EQ(counts["total of all the threads together"], 75);
  for (int i = 0; i < 5; i++) CHECK_EQ(counts["thread " + std::to_string(i)], 15);
  CHECK_EQ(log_lines.size(), 75);
  return check_passed("heap_containers");
}

// SPDX-License-Identifier: Apache-2.0
