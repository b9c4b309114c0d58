// SPDX-License-Identifier: Apache-2.0
// The table of functions that every module with exceptions has, sorted: .eh_frame_hdr in the form
// that linkers write.
#pragma once

#include <link.h>
#include <string.h>

#include <cstdint>

namespace jostle::rt {

class FunctionTable {
 public:
  struct Function {
    uintptr_t begin = 0;        // 0: there is none
    uintptr_t description = 0;  // its entry of .eh_frame
  };

  FunctionTable() = default;
  explicit FunctionTable(const dl_phdr_info& module) {
    for (int i = 0; i < module.dlpi_phnum; ++i) {
      if (module.dlpi_phdr[i].p_type != PT_GNU_EH_FRAME) continue;
      const uintptr_t header = module.dlpi_addr + module.dlpi_phdr[i].p_vaddr;
      constexpr uint8_t kUsual[] = {1, 0x1b, 0x03, 0x3b};
      if (memcmp(reinterpret_cast<const void*>(header), kUsual, sizeof kUsual) != 0) return;
      begin_ = header;
      memcpy(&count_, reinterpret_cast<const void*>(header + 8), sizeof count_);
    }
  }

  // Behind its last byte; 0 where its entry is not of the form that compilers write.
  static uintptr_t end_of(const Function& function) {
    int32_t distance;
    uint32_t size;
    const uintptr_t place = function.description + 8;  // behind its length and its common part
    memcpy(&distance, reinterpret_cast<const void*>(place), sizeof distance);
    memcpy(&size, reinterpret_cast<const void*>(place + sizeof distance), sizeof size);
    return place + static_cast<uintptr_t>(distance) == function.begin ? function.begin + size : 0;
  }

  // The function that has this address, or the last one before it.
  Function find(uintptr_t address) const {
    Function found;
    uint32_t low = 0, high = count_;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      const Function function = entry(middle);
      if (function.begin <= address) {
        found = function;
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return found;
  }

 private:
  Function entry(uint32_t i) const {
    int32_t distances[2];
    memcpy(distances, reinterpret_cast<const void*>(begin_ + 12 + i * sizeof distances),
           sizeof distances);
    return {begin_ + static_cast<uintptr_t>(distances[0]),
            begin_ + static_cast<uintptr_t>(distances[1])};
  }

  uintptr_t begin_ = 0;
  uint32_t count_ = 0;
};

}  // namespace jostle::rt
