// SPDX-License-Identifier: Apache-2.0
// Random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna, public domain algorithms).
// Fast, good enough for sampling schedules, and the same on every platform.
#pragma once

#include <cstdint>

#include "src/base/check.h"

namespace jostle {

constexpr uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// One seed out of two, so that schedule i of campaign s has a seed of its own.
constexpr uint64_t mix_seeds(uint64_t a, uint64_t b) {
  uint64_t state = a ^ (b * 0xD1B54A32D192ED03);
  return splitmix64(state);
}

class Rng {
 public:
  explicit constexpr Rng(uint64_t seed = 0) { reseed(seed); }

  constexpr void reseed(uint64_t seed) {
    for (uint64_t& word : state_) word = splitmix64(seed);
  }

  constexpr uint64_t next() {
    const uint64_t result = rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, n), n > 0. Multiply-shift; the bias of at most n / 2^64 is irrelevant here.
  constexpr uint64_t below(uint64_t n) {
    JOSTLE_CHECK(n != 0);
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }

  // Uniform in [0, 1).
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state_[4] = {};
};

}  // namespace jostle
