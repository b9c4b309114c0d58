// SPDX-License-Identifier: Apache-2.0
// Timers that interrupt the program by signals or run its functions, in virtual time: alarm,
// setitimer, timer_create. None of them exists in the kernel. When time passes, and how, is the
// scheduler's business (scheduler/timers.h, busy_time.h).
#pragma once

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// There are none any more: in a forked child, or in a process that is not rewound between runs.
void forget_timers();

// The calendar was set: timers that wait for a date move with it. `by`: how much later it is now.
void calendar_moved(Nanoseconds by);

// Another program takes over the process, and an alarm with it: it goes on in real time. Undone
// when that program cannot be started after all.
void hand_alarm_to_kernel();
void take_alarm_from_kernel();

}  // namespace jostle::rt
