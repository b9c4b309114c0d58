// SPDX-License-Identifier: Apache-2.0
// Variables that a compiler keeps in memory in another form than their type's: clang makes one byte
// of an int that is only ever 0 or 42, and the debug information tells how to compute the int.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jostle::report {

class StoredValue {
 public:
  // What a variable's location has after its address: "fetch a byte, times 42, that is the value".
  explicit StoredValue(std::span<const Dwarf_Op> after_address);

  // How many bytes are kept; 0: the location is none that is understood.
  uint32_t size() const { return size_; }
  // The variable's value when memory holds `stored`. Nothing: not known.
  std::optional<uint64_t> value(uint64_t stored) const;

 private:
  uint32_t size_ = 0;
  std::vector<Dwarf_Op> operations_;
};

}  // namespace jostle::report
