// What depends on heap addresses: the order of a std::set of pointers, differences of addresses,
// hashes of pointers, reuse of freed blocks; allocated by several threads in an order of the
// schedule.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

struct Item {
  std::string name;
  char padding[40];
};

static std::mutex mutex;
static std::set<Item*> by_address;
static std::unordered_set<Item*> by_hash;

static void allocate(int id) {
  std::vector<std::unique_ptr<char[]>> garbage;
  for (int i = 0; i < 12; i++) {
    auto* item = new Item{"item " + std::to_string(id) + "." + std::to_string(i), {}};
    garbage.push_back(std::make_unique<char[]>((size_t)(17 * i + id)));
    if (i % 3 == 2) garbage.erase(garbage.begin());
    std::lock_guard<std::mutex> lock(mutex);
    by_address.insert(item);
    by_hash.insert(item);
    if (i % 4 == 3) {  // drop the lowest: its block may be used again
      Item* lowest = *by_address.begin();
      by_address.erase(lowest);
      by_hash.erase(lowest);
      delete lowest;
    }
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; i++) threads.emplace_back(allocate, i);
  for (auto& t : threads) t.join();
  const auto first = (std::uintptr_t)*by_address.begin();
  for (const Item* item : by_address)
    std::printf("%s at +%zu\n", item->name.c_str(), (size_t)((std::uintptr_t)item - first));
  for (const Item* item : by_hash) std::printf("hashed: %s\n", item->name.c_str());
  std::printf("lowest hashes to %zu\n", std::hash<Item*>()(*by_address.begin()) % 1000003);
  for (Item* item : by_address) delete item;
}

// SPDX-License-Identifier: Apache-2.0
