// SPDX-License-Identifier: Apache-2.0
// How a hook is written.
//
//     JOSTLE_HOOK int pthread_mutex_lock(pthread_mutex_t* m) {
//       if (!controlled()) return REAL(pthread_mutex_lock)(m);
//       ... one Operation, one call into the scheduler, one step of the state machine ...
//     }
//
// A hook translates and holds no policy. Until the runtime is in control (no `jostle` command
// started the program) it is exactly the function it stands for.
#pragma once

#include <cstdint>

#include "src/runtime/libc/real.h"
#include "src/runtime/scheduler/requests.h"
#include "src/runtime/scheduler/scheduler.h"

#define JOSTLE_HOOK extern "C" __attribute__((visibility("default")))

// Where the program called the hook.
#define CALLER() reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace jostle::rt {

inline Operation operation(OpKind kind, const volatile void* object, uintptr_t pc) {
  return {.kind = kind, .size = 0, .object = reinterpret_cast<uintptr_t>(object), .pc = pc};
}

// Between the two nobody else runs unless this thread has to wait: for stretches in which the real
// libc holds a lock of its own (dlopen, dl_iterate_phdr, …).
class NoPreemption {
 public:
  NoPreemption() : thread_(g_current) {
    if (thread_) ++thread_->no_preempt;
  }
  ~NoPreemption() {
    if (thread_) --thread_->no_preempt;
  }
  NoPreemption(const NoPreemption&) = delete;
  NoPreemption& operator=(const NoPreemption&) = delete;

 private:
  Thread* thread_;
};

}  // namespace jostle::rt
