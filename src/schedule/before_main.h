// SPDX-License-Identifier: Apache-2.0
// Threads that run before main, from constructors of static objects.
#pragma once

#include <cstdint>

namespace jostle::channel {

// One of the bits of Status::uncontrolled. Runs begin at main: what threads did before that was
// done once, under one schedule, and is the same for all runs.
inline constexpr uint64_t kThreadsBeforeMain = uint64_t{1} << 16;

}  // namespace jostle::channel
