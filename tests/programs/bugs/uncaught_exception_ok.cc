// fails: never
// uncaught_exception with a default for a missing entry.
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex mutex;
static std::map<std::string, int> prices;

static void load() {
  std::lock_guard<std::mutex> lock(mutex);
  prices["apple"] = 3;
}

static void quote(int* out) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = prices.find("apple");
  *out = (found == prices.end() ? 3 : found->second) * 2;
}

int main() {
  int total = 0;
  std::thread a(load), b(quote, &total);
  a.join();
  b.join();
  return total == 6 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
