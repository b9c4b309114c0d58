#include "ledger/ledger.h"

#include "checksum.h"

namespace ledger {

void Ledger::add(const std::string& account, long amount) {
  const std::lock_guard lock(mutex_);
  balances_[account] += amount;
}

long Ledger::balance(const std::string& account) const {
  const std::lock_guard lock(mutex_);
  const auto found = balances_.find(account);
  return found == balances_.end() ? 0 : found->second;
}

uint32_t Ledger::digest() const {
  const std::lock_guard lock(mutex_);
  uint32_t sum = 0;
  for (const auto& [name, balance] : balances_) {
    sum ^= checksum(name.data(), name.size()) ^ checksum(&balance, sizeof balance);
  }
  return sum;
}

}  // namespace ledger

// SPDX-License-Identifier: Apache-2.0
