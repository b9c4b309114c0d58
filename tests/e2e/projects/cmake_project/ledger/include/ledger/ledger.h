#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace ledger {

class Ledger {
 public:
  void add(const std::string& account, long amount);
  long balance(const std::string& account) const;
  uint32_t digest() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, long> balances_;
};

}  // namespace ledger

// SPDX-License-Identifier: Apache-2.0
