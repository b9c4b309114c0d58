// fails: never
// check_then_act with check and withdrawal in one critical section.
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
  bool withdraw(int amount) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (balance_ < amount) return false;
    balance_ -= amount;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  int balance_ = 100;
};

static Account account;

static void shop(int price) { account.withdraw(price); }

int main() {
  std::thread a(shop, 70), b(shop, 60);
  a.join();
  b.join();
  assert(account.balance() >= 0);
}

// SPDX-License-Identifier: Apache-2.0
