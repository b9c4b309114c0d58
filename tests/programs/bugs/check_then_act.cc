// fails: abort (some schedules)
// Check-then-act: the balance is checked and changed under the lock, but not under the same holding
// of it. Shown when both threads check before either withdraws.
#undef NDEBUG  // the assertion is the point
#include <cassert>
#include <mutex>
#include <thread>

class Account {
 public:
  int balance() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return balance_;
  }
  void withdraw(int amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    balance_ -= amount;
  }

 private:
  mutable std::mutex mutex_;
  int balance_ = 100;
};

static Account account;

static void shop(int price) {
  if (account.balance() >= price) account.withdraw(price);
}

int main() {
  std::thread a(shop, 70), b(shop, 60);
  a.join();
  b.join();
  assert(account.balance() >= 0);
}

// SPDX-License-Identifier: Apache-2.0
