// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/modules/patched_code.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "src/base/raw_syscall.h"

#if defined(__x86_64__)

namespace jostle::rt {

bool write_code(uintptr_t address, const void* bytes, size_t size) {
  constexpr uintptr_t kPage = 4096;
  const auto page = static_cast<long>(address & ~(kPage - 1));
  const long length = static_cast<long>(address + size) - page;
  if (raw_syscall(SYS_mprotect, page, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    return false;
  }
  memcpy(reinterpret_cast<void*>(address), bytes, size);
  raw_syscall(SYS_mprotect, page, length, PROT_READ | PROT_EXEC);
  return true;
}

void enter_from_handler(ucontext_t& context, void (*function)(), uintptr_t next) {
  constexpr uintptr_t kRedZone = 128;
  auto& registers = context.uc_mcontext.gregs;
  const uintptr_t stack = static_cast<uintptr_t>(registers[REG_RSP]) - kRedZone - sizeof next;
  memcpy(reinterpret_cast<void*>(stack), &next, sizeof next);
  registers[REG_RSP] = static_cast<greg_t>(stack);
  registers[REG_RIP] = reinterpret_cast<greg_t>(function);
}

}  // namespace jostle::rt

#endif
