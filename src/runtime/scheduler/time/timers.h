// SPDX-License-Identifier: Apache-2.0
// What the scheduler has to know of the program's timers (alarm, setitimer, timer_create): when the
// next is due. The timers themselves are the hooks' business (interpose/time/interval_timer.cc).
#pragma once

#include "src/base/kept.h"
#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

struct NextTimers {
  Nanoseconds real = kNever;       // by the clock of the run
  Nanoseconds processor = kNever;  // by the time that threads have been busy
  // Strikes although others could run, as soon as the run has so many steps.
  uint64_t strikes_at_step = UINT64_MAX;
  bool any() const { return real != kNever || processor != kNever; }
};
extern JOSTLE_HIDDEN NextTimers g_next_timers;

// Time has passed: those that are due send their signals, in the order in which they are due.
void expire_timers();

// When the next timer of real time is due that may get somebody to go on who cannot now. One that
// has been tried in vain, and nobody has run since, is left out. kNever: none.
Nanoseconds next_timer_of_use();

}  // namespace jostle::rt
