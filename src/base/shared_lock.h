// SPDX-License-Identifier: Apache-2.0
// A lock in memory that processes share, for moments. It knows its owner, so that a process that
// died with it is not taken for one that is slow.
#pragma once

#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

#include "src/base/raw_syscall.h"

namespace jostle {

struct SharedLock {
  std::atomic<uint32_t> holder;  // its number + 1; 0: nobody

  void lock(uint32_t who) {
    for (int tries = 0;; ++tries) {
      uint32_t nobody = 0;
      if (holder.compare_exchange_weak(nobody, who + 1, std::memory_order_acquire)) return;
      constexpr int kPatience = 64;
      if (tries > kPatience) raw_syscall(SYS_sched_yield);
    }
  }
  void unlock() { holder.store(0, std::memory_order_release); }
  // `who` begins a new life: whatever it had is free again.
  void release_of(uint32_t who) {
    uint32_t own = who + 1;
    holder.compare_exchange_strong(own, 0);
  }
};

}  // namespace jostle
