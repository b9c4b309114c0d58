// fails: never
// destroyed_last with the thread joined.
#include <atomic>
#include <thread>

struct Entry {
  long key, value;
};

struct Registry {
  ~Registry() { delete entry.load(); }
  std::atomic<Entry*> entry{nullptr};
};

static Registry registry;

static void fill() {
  auto* entry = new Entry{1, 0};
  registry.entry = entry;
  entry->value = 2;
}

int main() {
  std::thread(fill).join();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
