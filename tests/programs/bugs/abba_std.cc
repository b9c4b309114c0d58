// fails: deadlock (some schedules)
// Two locks in two orders. Shown when each thread holds its first lock and asks for the other's.
#include <mutex>
#include <thread>

static std::mutex accounts, audit;
static int balance = 100, entries;

static void pay(int amount) {
  std::lock_guard<std::mutex> first(accounts);
  balance -= amount;
  std::lock_guard<std::mutex> second(audit);
  entries++;
}

static void report(int* out) {
  std::lock_guard<std::mutex> first(audit);
  const int n = entries;
  std::lock_guard<std::mutex> second(accounts);
  *out = balance + n;
}

int main() {
  int sum = 0;
  std::thread a(pay, 10), b(report, &sum);
  a.join();
  b.join();
  return sum > 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
