// SPDX-License-Identifier: Apache-2.0
// From the absolute times that programs pass to timed waits to the scheduler's virtual time.
#pragma once

#include <time.h>

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// Is it a time that POSIX functions accept: 0 <= tv_nsec < 1e9? (Seconds may be negative: past.)
bool valid(const timespec& time);

// The moment of the run at which `clock` shows `absolute`. At or before the scheduler's now(): the
// time-out has already struck. kNever for a time beyond all counting.
Nanoseconds virtual_deadline(clockid_t clock, const timespec& absolute);

// The moment `interval` from now. kNever as above; a negative interval is over at once.
Nanoseconds deadline_after(const timespec& interval);

// The same from poll's milliseconds; negative: never.
Nanoseconds deadline_after_ms(int milliseconds);

// The calendar shows so much more from now on.
void move_calendar(Nanoseconds by);

// What `clock` shows at the start of the run (or would have shown, had the calendar been set then).
Nanoseconds clock_start(clockid_t clock);

// A span of time as the program's structs have it; never negative.
timespec to_timespec(Nanoseconds span);
// The inverse; kNever for more than can be counted.
Nanoseconds to_nanoseconds(const timespec& span);
inline constexpr Nanoseconds kSecond = 1'000'000'000;

}  // namespace jostle::rt
