// Reading memory of this process that may not be there.
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "src/base/raw_syscall.h"

namespace jostle {

// Copies `size` bytes; false when they cannot be read. The kernel does it, so that an address that
// faults is an error instead of a signal.
inline bool read_own_memory(uintptr_t from, void* to, size_t size) {
  iovec here{to, size};
  iovec there{reinterpret_cast<void*>(from), size};
  const long self = raw_syscall(SYS_getpid);
  return raw_syscall(SYS_process_vm_readv, self, reinterpret_cast<long>(&here), 1,
                     reinterpret_cast<long>(&there), 1, 0) == static_cast<long>(size);
}

}  // namespace jostle
