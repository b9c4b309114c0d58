// SPDX-License-Identifier: Apache-2.0
// Reading memory of this process that may not be there.
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/base/raw_syscall.h"

namespace jostle {

// Copies what lies there, one piece behind the other; false when not all of it can be read. The
// kernel does it, so that an address that faults is an error instead of a signal.
inline bool read_own_memory(std::span<const iovec> from, void* to) {
  iovec here{to, 0};
  for (const iovec& piece : from) here.iov_len += piece.iov_len;
  if (here.iov_len == 0) return true;
  const long self = raw_syscall(SYS_getpid);
  return raw_syscall(SYS_process_vm_readv, self, reinterpret_cast<long>(&here), 1,
                     reinterpret_cast<long>(from.data()), static_cast<long>(from.size()),
                     0) == static_cast<long>(here.iov_len);
}

inline bool read_own_memory(uintptr_t from, void* to, size_t size) {
  const iovec there{reinterpret_cast<void*>(from), size};
  return read_own_memory({&there, 1}, to);
}

}  // namespace jostle
