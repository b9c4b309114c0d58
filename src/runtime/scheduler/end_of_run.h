// SPDX-License-Identifier: Apache-2.0
// How the scheduler ends a run that does not end by itself. What is recorded of it, and how the
// process is left, is known above (oracle/failure.cc), where these are defined.
#pragma once

#include "src/schedule/run_end.h"

namespace jostle::rt {

struct Thread;

inline constexpr char kNothingChanges[] =
    "every thread that can run goes round and round, and nothing changes";
inline constexpr char kTooManySteps[] = "the run does not come to an end";
inline constexpr char kEndlessLoop[] = "a loop without end";
inline constexpr char kNoReturn[] = "no operation returns, however long those run that may";
inline constexpr char kTooLong[] = "the run takes too long in real time";

// A run that cannot end by itself: deadlock, livelock, step limit, divergence.
[[noreturn]] void end_run(channel::Outcome outcome, const char* message);

// `waiter` was passed over too often.
[[noreturn]] void fail_starved(const Thread& waiter);

}  // namespace jostle::rt
