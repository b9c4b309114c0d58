// Reads orders, a line each: "BUY 12", "SELL 3". Two clerks take turns at them. When the first is a
// "SELL" of 77 both clerks change the stock without the lock, and some orders of the two lose one.
//
// build: -fjostle-coverage
// Wrong: the path for large sales has no lock.
// Shown when: the input has it, and the clerks are interleaved there.
// Failure: assert.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Order {
  bool sells;
  long count;
};

std::mutex g_mutex;
long g_stock = 0;

void work(const std::vector<Order>& orders, bool special) {
  for (const Order& order : orders) {
    const long change = order.sells ? -order.count : order.count;
    if (special) {
      const long before = g_stock;
      g_stock = before + change;
    } else {
      std::lock_guard lock(g_mutex);
      g_stock += change;
    }
  }
}

int main(int argc, char** argv) {
  std::FILE* file = argc > 1 ? std::fopen(argv[1], "r") : stdin;
  if (!file) return 2;
  std::vector<Order> orders;
  char line[100];
  long sum = 0;
  while (orders.size() < 8 && std::fgets(line, sizeof line, file)) {
    Order order{};
    char* number = std::strchr(line, ' ');
    if (!number) return 0;
    *number++ = '\0';
    if (std::strcmp(line, "SELL") == 0) {
      order.sells = true;
    } else if (std::strcmp(line, "BUY") != 0) {
      return 0;
    }
    order.count = std::strtol(number, nullptr, 10);
    if (order.count < 0 || order.count > 1000) return 0;
    sum += order.sells ? -order.count : order.count;
    orders.push_back(order);
  }
  if (orders.empty()) return 0;
  const bool special = orders[0].sells && orders[0].count == 77;
  std::thread a(work, std::cref(orders), special), b(work, std::cref(orders), special);
  a.join();
  b.join();
  assert(g_stock == 2 * sum);
}

// SPDX-License-Identifier: Apache-2.0
