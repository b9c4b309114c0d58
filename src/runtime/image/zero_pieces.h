// SPDX-License-Identifier: Apache-2.0
// Puts back what is mostly zeros: of memory that a program writes most has never been written when
// the snapshot is taken. To clear a piece takes a third of the time that copying it takes, because
// nothing is read; so for a part of a page, or all of it, it is kept which 64ths of a page are zero
// in its saved copy.
#pragma once

#include <string.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace jostle::rt {

class ZeroPieces {
 public:
  ZeroPieces() = default;
  // At most 64 pieces of `piece` bytes, a multiple of 8; the last one may be shorter.
  ZeroPieces(const char* saved, size_t size, size_t piece) {
    for (size_t n = 0; n * piece < size; ++n) {
      const size_t rest = size - n * piece;
      if (is_zero(saved + n * piece, rest < piece ? rest : piece)) bits_ |= uint64_t{1} << n;
    }
    // For less than four in a row it is not worth it.
    uint64_t starts = bits_ & bits_ >> 1;
    starts &= starts >> 2;
    bits_ = starts | starts << 1;
    bits_ |= bits_ << 2;
  }

  void put_back(char* to, const char* saved, size_t size, size_t piece) const {
    uint64_t bits = bits_;
    for (size_t at = 0; at < size;) {
      const bool zero = bits & 1;
      const int pieces = zero ? std::countr_one(bits) : std::countr_zero(bits);
      const size_t most = static_cast<size_t>(pieces) * piece;
      const size_t n = most < size - at ? most : size - at;
      if (zero) {
        memset(to + at, 0, n);
      } else {
        memcpy(to + at, saved + at, n);
      }
      at += n;
      bits = pieces < 64 ? bits >> pieces : 0;
    }
  }

 private:
  static bool is_zero(const char* from, size_t size) {
    for (; size >= 8; size -= 8, from += 8) {
      uint64_t word;
      __builtin_memcpy(&word, from, sizeof word);
      if (word) return false;
    }
    for (; size; --size, ++from) {
      if (*from) return false;
    }
    return true;
  }

  uint64_t bits_ = 0;
};

}  // namespace jostle::rt
