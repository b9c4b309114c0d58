// fails: heap (some schedules)
// A detached thread uses what a global's destructor has freed, and nothing else happens between
// that and the end of the process.
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
  std::thread(fill).detach();
  std::this_thread::yield();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
