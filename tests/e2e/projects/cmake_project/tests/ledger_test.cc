#include "ledger/ledger.h"

#include <thread>

int main() {
  ledger::Ledger ledger;
  const uint32_t before = ledger.digest();
  std::thread other([&] { ledger.add("rent", -7); });
  ledger.add("rent", 10);
  other.join();
  return ledger.balance("rent") == 3 && ledger.digest() != before ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
