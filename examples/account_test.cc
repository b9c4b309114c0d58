// A GoogleTest that explores its schedules and inputs. Build and run:
//
//   jostle c++ -g -std=c++20 account_test.cc -lgtest -lgtest_main -o account_test
//   ./account_test
//
// Money moves between two accounts, and each account has a lock. A transfer looks before it leaps:
// it tests the balance under the lock, lets go of it, and withdraws later.
#include <jostle/gtest.hpp>
#include <mutex>
#include <thread>

using namespace jostle;

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}

  int balance() const {
    const std::lock_guard guard(lock_);
    return balance_;
  }
  bool withdraw(int amount) {
    if (balance() < amount) return false;
    const std::lock_guard guard(lock_);
    balance_ -= amount;
    return true;
  }
  void deposit(int amount) {
    const std::lock_guard guard(lock_);
    balance_ += amount;
  }

 private:
  mutable std::mutex lock_;
  int balance_;
};

JOSTLE_TEST(Account, DepositsAddUp) {
  Account account(0);
  std::thread one([&] { account.deposit(30); }), two([&] { account.deposit(12); });
  one.join();
  two.join();
  EXPECT_EQ(account.balance(), 42);
}

JOSTLE_PROPERTY(Account, IsNeverOverdrawn, (int balance, int first, int second),
                gen::range(0, 1000), gen::range(1, 1000), gen::range(1, 1000)) {
  Account account(balance);
  std::thread one([&] { account.withdraw(first); }), two([&] { account.withdraw(second); });
  one.join();
  two.join();
  EXPECT_GE(account.balance(), 0);
}

// SPDX-License-Identifier: Apache-2.0
