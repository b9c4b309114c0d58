#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "ledger/ledger.h"

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::stoi(argv[1]) : 2;
  ledger::Ledger ledger;
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&ledger] {
      for (int amount = 1; amount <= 10; ++amount) ledger.add("cash", amount);
    });
  }
  for (std::thread& worker : workers) worker.join();
  std::printf("cash %ld\n", ledger.balance("cash"));
  return ledger.balance("cash") == 55L * threads ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
