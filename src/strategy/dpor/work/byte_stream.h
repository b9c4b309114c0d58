// SPDX-License-Identifier: Apache-2.0
// Numbers as bytes and back, for what searches leave to others. A reader of damaged bytes gets
// zeros, and says so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/base/engine_memory.h"

namespace jostle::dpor {

class ByteWriter {
 public:
  // Small numbers take few bytes.
  void number(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<uint8_t>(value));
  }
  void byte(uint8_t value) { bytes_.push_back(value); }
  // One that is as good as random.
  void name(uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<uint8_t>(value >> 8 * i));
  }
  // As they are, with how many there are.
  void block(const uint8_t* bytes, size_t size) {
    number(size);
    const size_t before = bytes_.size();
    bytes_.resize(before + size);
    for (size_t i = 0; i < size; ++i) bytes_[before + i] = bytes[i];
  }
  const EngineVector<uint8_t>& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  EngineVector<uint8_t> bytes_;
};

class ByteReader {
 public:
  ByteReader(const uint8_t* begin, size_t size) : at_(begin), end_(begin + size) {}

  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) break;
      const uint8_t byte = *at_++;
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    is_good_ = false;
    return 0;
  }
  // One that is at most `most`.
  uint64_t number(uint64_t most) {
    const uint64_t value = number();
    if (value <= most) return value;
    is_good_ = false;
    return 0;
  }
  // How many follow, each of at least one byte.
  uint32_t count() { return static_cast<uint32_t>(number(static_cast<size_t>(end_ - at_))); }
  uint64_t name() {
    uint64_t value = 0;
    if (end_ - at_ < 8) {
      is_good_ = false;
      return 0;
    }
    for (int i = 0; i < 8; ++i) value |= uint64_t{*at_++} << 8 * i;
    return value;
  }
  // A block: where it begins. It stays where it is.
  const uint8_t* block(size_t* size) {
    *size = static_cast<size_t>(number(static_cast<size_t>(end_ - at_)));
    const uint8_t* begin = at_;
    at_ += *size;
    return begin;
  }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return at_ == end_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool is_good_ = true;
};

}  // namespace jostle::dpor
