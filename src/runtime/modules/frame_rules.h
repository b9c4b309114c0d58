// SPDX-License-Identifier: Apache-2.0
// How a function is left at one of its instructions: where its caller's registers are then. The
// part of the call frame information (DWARF 5, 6.4) that compilers write for ordinary functions;
// for the rest there is libgcc's unwinder.
#pragma once

#include <cstdint>

namespace jostle::rt {

// Registers that survive calls, the stack pointer and the return address, by places of our own.
#if defined(__aarch64__)
constexpr int kFrameRegisters = 21;  // x19 to x30, sp, d8 to d15
constexpr int kReturnAddress = 11, kStackPointer = 12;
constexpr int frame_register(uint64_t dwarf) {
  if (dwarf >= 72 && dwarf <= 79) return static_cast<int>(dwarf) - 72 + kStackPointer + 1;
  return dwarf >= 19 && dwarf <= 31 ? static_cast<int>(dwarf) - 19 : -1;
}
#else
constexpr int kFrameRegisters = 8;  // rbx, rbp, rsp, r12 to r15, the return address
constexpr int kStackPointer = 2, kReturnAddress = 7;
constexpr int frame_register(uint64_t dwarf) {
  switch (dwarf) {
    case 3:
      return 0;
    case 6:
      return 1;
    case 7:
      return kStackPointer;
    case 16:
      return kReturnAddress;
    default:
      return dwarf >= 12 && dwarf <= 15 ? static_cast<int>(dwarf) - 9 : -1;
  }
}
#endif

struct FrameRules {
  static constexpr int16_t kUnchanged = INT16_MAX, kGone = INT16_MAX - 1;

  bool usable = false;
  // The frame ends at this register plus that; the caller's stack pointer has this value.
  uint8_t base = 0;
  int32_t size = 0;
  // Where the caller's registers are, from the end of the frame.
  int16_t saved[kFrameRegisters] = {};
};

// `description`: the entry of .eh_frame of the function that has the instruction. Not usable: what
// is there is not of the kind known here, or the instruction is not in that function.
FrameRules frame_rules(uintptr_t description, uintptr_t instruction);

}  // namespace jostle::rt
