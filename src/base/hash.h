// SPDX-License-Identifier: Apache-2.0
// Small non-cryptographic hashes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle {

constexpr uint64_t fnv1a(const char* data, size_t size) {
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001B3;
  }
  return hash;
}

// Folds `value` into `hash`.
constexpr uint64_t combine(uint64_t hash, uint64_t value) {
  uint64_t x = (hash ^ value) * 0x9E3779B97F4A7C15;
  return x ^ (x >> 32);
}

}  // namespace jostle
