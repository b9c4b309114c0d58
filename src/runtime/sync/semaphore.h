// SPDX-License-Identifier: Apache-2.0
// A semaphore: sem_t, unnamed or named (the real sem_open maps it).
#pragma once

#include <semaphore.h>

#include <cstdint>

namespace jostle::sync {

struct Semaphore {  // struct new_sem of glibc's internaltypes.h, on 64-bit machines
  uint32_t value;
  uint32_t kernel_waiters;  // of other processes: ours never wait in the kernel
  int32_t shared;
  uint32_t mark;  // unused by glibc, and not set by its sem_init
};
static_assert(sizeof(Semaphore) <= sizeof(sem_t));

inline Semaphore& state_of(sem_t* semaphore) { return *reinterpret_cast<Semaphore*>(semaphore); }

bool is_destroyed(const Semaphore& semaphore);
void destroy(Semaphore& semaphore);
// After the real sem_init, which leaves the mark alone.
void initialise(Semaphore& semaphore);

inline bool is_shared(const Semaphore& semaphore) { return semaphore.shared != 0; }

bool can_take(const Semaphore& semaphore);
// 0 or EAGAIN.
int try_take(Semaphore& semaphore);
// 0 or EOVERFLOW.
int post(Semaphore& semaphore);

}  // namespace jostle::sync
