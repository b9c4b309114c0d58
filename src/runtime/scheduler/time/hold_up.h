// SPDX-License-Identifier: Apache-2.0
// How long a busy machine may keep a thread, or what an event loop waits for, from going on.
//
// Schedules hold threads up at will, and time-outs strike meanwhile: that is how code is found that
// takes a sleep for a guarantee. But nobody reckons with a thread that is ready to run and does not
// for ten seconds: a sleep of this length or more ends when nobody else can go on, or after very
// many events, and who is late is not later than this. The time-out of a wait for something is
// mostly a guard ("it must come within five seconds"): two seconds are enough for that.
#pragma once

#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

inline constexpr Nanoseconds kLongestHoldUp = 10'000'000'000;
inline constexpr Nanoseconds kShortestGuard = 2'000'000'000;

}  // namespace jostle::rt
