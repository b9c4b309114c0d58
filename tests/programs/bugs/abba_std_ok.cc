// fails: never
// abba_std with both locks taken at once.
#include <mutex>
#include <thread>

static std::mutex accounts, audit;
static int balance = 100, entries;

static void pay(int amount) {
  std::scoped_lock both(accounts, audit);
  balance -= amount;
  entries++;
}

static void report(int* out) {
  std::scoped_lock both(audit, accounts);
  const int n = entries;
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
