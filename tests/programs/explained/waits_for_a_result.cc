// A future is waited for under a lock that its task wants: with the task in a thread of its own, or
// computed by whoever asks first.
#include <cstring>
#include <future>
#include <mutex>
#include <thread>

std::mutex ledger;
int balance = 0;

static int deposit(int amount) {
  std::lock_guard hold(ledger);
  return balance += amount;
}

static void asks_under_lock(const std::shared_future<int>& result) {
  std::lock_guard hold(ledger);
  result.get();
}

int main(int, char** arguments) {
  const bool is_deferred = !std::strcmp(arguments[1], "deferred");
  const std::shared_future<int> result =
      std::async(is_deferred ? std::launch::deferred : std::launch::async, deposit, 5);
  if (!is_deferred) {
    asks_under_lock(result);
    return 0;
  }
  std::thread asks_first([&result] { result.get(); });
  std::thread asks_too(asks_under_lock, std::cref(result));
  asks_first.join();
  asks_too.join();
}

// SPDX-License-Identifier: Apache-2.0
