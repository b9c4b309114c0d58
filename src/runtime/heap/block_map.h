// SPDX-License-Identifier: Apache-2.0
// Where the blocks of an arena begin: one bit per 16 bytes.
//
// Bits are only ever set, also over the rewinding between runs: a bit says that a block began there
// once. The caller looks whether it still does.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/base/check.h"

namespace jostle::rt {

class BlockMap {
 public:
  static constexpr uintptr_t kUnit = 16;
  // One byte of map for so many of the arena.
  static constexpr size_t kBytesPerByte = kUnit * 8;

  // `words` is zeroed memory for the arena that begins at `base`.
  void attach(uint64_t* words, uintptr_t base) {
    words_ = words;
    base_ = base;
  }

  void add(uintptr_t address) {
    JOSTLE_CHECK(address >= base_ && (address - base_) % kUnit == 0);
    const uintptr_t unit = (address - base_) / kUnit;
    words_[unit / 64] |= uint64_t{1} << unit % 64;
  }

  // The nearest beginning at or before `address` for which `fits` is true, and not more than
  // `farthest` bytes before it; 0: there is none.
  template <typename Fits>
  uintptr_t find(uintptr_t address, uintptr_t farthest, Fits fits) const {
    const uintptr_t unit = (address - base_) / kUnit;
    const uintptr_t lowest = address - base_ > farthest ? (address - base_ - farthest) / kUnit : 0;
    uint64_t bits = words_[unit / 64] & (~uint64_t{0} >> (63 - unit % 64));
    for (uintptr_t word = unit / 64;;) {
      for (; bits != 0; bits &= ~(uint64_t{1} << (63 - std::countl_zero(bits)))) {
        const uintptr_t at =
            base_ + (word * 64 + 63 - static_cast<uintptr_t>(std::countl_zero(bits))) * kUnit;
        JOSTLE_CHECK_LE(at, address);
        if (fits(at)) return at;
      }
      if (word == 0 || --word < lowest / 64) return 0;
      bits = words_[word];
    }
  }

  // Did no block ever begin in these 4 KiB, which begin at a multiple of that?
  bool is_bare(uintptr_t page) const {
    constexpr uintptr_t kWords = 4096 / kUnit / 64;
    JOSTLE_CHECK(page >= base_ && (page - base_) % 4096 == 0);
    const uint64_t* first = words_ + (page - base_) / kUnit / 64;
    for (uintptr_t i = 0; i < kWords; ++i) {
      if (first[i] != 0) return false;
    }
    return true;
  }

 private:
  uint64_t* words_ = nullptr;
  uintptr_t base_ = 0;
};

}  // namespace jostle::rt
