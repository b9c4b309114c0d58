// SPDX-License-Identifier: Apache-2.0
// Instructions of libraries that are replaced by ones that the processor stops at, so that we do
// what they would have done.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "src/base/x86_length.h"
#include "src/runtime/modules/function_table.h"

namespace jostle::rt {

// Does an instruction of the function around it begin at `address`? The same bytes may be a part of
// another one. `known(at)` is the length of an instruction that has been replaced, or 0.
template <typename Known>
bool begins_instruction(const FunctionTable& functions, uintptr_t address, const Known& known) {
  constexpr uintptr_t kMost = 1 << 16;  // what has no entry of its own is far behind one
  constexpr uintptr_t kLongest = 16;
  uintptr_t at = functions.find(address).begin;
  if (at == 0 || address - at > kMost) return false;
  while (at < address) {
    size_t length = known(at);
    if (length == 0) {
      length = x86_length(reinterpret_cast<const uint8_t*>(at), address + kLongest - at);
    }
    if (length == 0) return false;
    at += length;
  }
  return at == address;
}

// False: the kernel does not let us.
bool write_code(uintptr_t address, const void* bytes, size_t size);

// Out of a signal handler: `function` is entered on the thread's own stack, with all registers as
// they were, and below the 128 bytes that a function may use under its stack pointer the address
// to return to.
void enter_from_handler(ucontext_t& context, void (*function)(), uintptr_t next);

}  // namespace jostle::rt
