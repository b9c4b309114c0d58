// SPDX-License-Identifier: Apache-2.0
// Which units of semaphores threads hold, where each gives back what it took itself: such a
// semaphore lets so many threads in at a time, and a deadlock of more of them cannot be. One that
// is posted by somebody else is a signal and keeps nobody out.
#pragma once

#include <cstdint>

#include "src/schedule/operation.h"

namespace jostle::rt {

void forget_permits();                                       // a run begins
void forget_permits_of(uintptr_t semaphore);                 // it is made anew
void note_permit_taken(uintptr_t semaphore, uint64_t room);  // by the running thread; units before
void note_permit_given(uintptr_t semaphore);

struct Permit {
  uintptr_t semaphore;  // 0: none
  ThreadId thread;
  uint32_t room;  // so many threads may have one; 0: anybody posts
};

// Those that somebody has, or had: the running thread's are among them.
struct Permits {
  const Permit* begin() const { return first; }
  const Permit* end() const { return first + count; }
  const Permit* first;
  uint32_t count;
};
Permits permits();

}  // namespace jostle::rt
