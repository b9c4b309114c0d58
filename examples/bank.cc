// A bank whose books are wrong for an instant. Every balance is guarded by a lock, so a race
// detector has nothing to find; the bug is that a transfer takes two steps, and the audit may come
// between.
//
//   jostle c++ -g -O1 bank.cc -o bank
//   jostle fuzz ./bank
#include <array>
#include <cassert>
#include <mutex>
#include <thread>

class Account {
 public:
  int balance() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return balance_;
  }

  bool withdraw(int amount) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (balance_ < amount) return false;
    balance_ -= amount;
    return true;
  }

  void deposit(int amount) {
    const std::lock_guard<std::mutex> lock(mutex_);
    balance_ += amount;
  }

 private:
  mutable std::mutex mutex_;
  int balance_ = 100;
};

std::array<Account, 3> accounts;

void transfer(Account& from, Account& to, int amount) {
  if (from.withdraw(amount)) to.deposit(amount);
}

void audit() {
  int total = 0;
  for (const Account& account : accounts) total += account.balance();
  assert(total == 300);
}

int main() {
  std::thread salary(transfer, std::ref(accounts[0]), std::ref(accounts[1]), 50);
  std::thread rent(transfer, std::ref(accounts[1]), std::ref(accounts[2]), 80);
  std::thread auditor(audit);
  salary.join();
  rent.join();
  auditor.join();
}

// SPDX-License-Identifier: Apache-2.0
