// SPDX-License-Identifier: Apache-2.0
// The atomic instructions of a module's code, one after the other.
#pragma once

#include <elf.h>
#include <link.h>

#include "src/base/atomic_instructions.h"

namespace jostle::rt {

// `visit(address)` until it is false. False: it was.
template <typename Visit>
bool each_atomic_instruction(const dl_phdr_info& module, const Visit& visit) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& header = module.dlpi_phdr[i];
    constexpr auto kCode = PF_R | PF_X;
    if (header.p_type != PT_LOAD || (header.p_flags & kCode) != kCode) continue;
    const auto* code = reinterpret_cast<const uint8_t*>(module.dlpi_addr + header.p_vaddr);
    const size_t size = header.p_filesz;
    size_t at = 0;
    while ((at = next_atomic_instruction(code, size, at, kThisProcessor)) < size) {
      if (!visit(reinterpret_cast<uintptr_t>(code + at))) return false;
      at = behind_instruction(code, size, at, kThisProcessor);
    }
  }
  return true;
}

}  // namespace jostle::rt
