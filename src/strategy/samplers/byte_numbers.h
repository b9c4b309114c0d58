// SPDX-License-Identifier: Apache-2.0
// Numbers out of a stream of bytes: what the strategies that follow bytes have in common. A number
// below `alternatives` is one byte where that is enough, two or four otherwise, modulo
// `alternatives`. Does not own the bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/rng.h"

namespace jostle {

class ByteNumbers {
 public:
  // What follows the last byte: zeros, the stream again, nothing more (kNone), or random bytes.
  enum AtEnd : uint64_t { kZeros, kLoop, kStop, kRandom };
  static constexpr uint32_t kNone = UINT32_MAX;

  void start(const uint8_t* bytes, size_t count, AtEnd at_end, uint64_t seed) {
    bytes_ = bytes;
    count_ = count;
    at_end_ = at_end;
    next_ = 0;
    rng_.reseed(seed);
  }

  uint32_t below(uint32_t alternatives) {
    const int bytes = alternatives <= 1 << 8 ? 1 : alternatives <= 1 << 16 ? 2 : 4;
    uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) {
      if (next_ >= count_ && at_end_ == kLoop) next_ = 0;
      if (next_ < count_) {
        number = number << 8 | bytes_[next_++];
      } else if (at_end_ == kStop) {
        return kNone;
      } else if (at_end_ == kRandom) {
        number = number << 8 | rng_.below(256);
      }
    }
    return static_cast<uint32_t>(number % alternatives);
  }

 private:
  const uint8_t* bytes_ = nullptr;
  size_t count_ = 0;
  AtEnd at_end_ = kZeros;
  size_t next_ = 0;
  Rng rng_;
};

}  // namespace jostle
