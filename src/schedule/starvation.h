// SPDX-License-Identifier: Apache-2.0
// Starvation: a thread waits, and others get what it waits for again and again.
//
// It is a livelock of its own kind: threads are busy, and one of them gets nowhere for ever. So the
// outcome is that of a livelock, with the limit that was passed as its code.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::channel {

// Beside those of channel.h.
inline constexpr uint32_t kCheckStarvation = 1 << 4;

// A fair run in which somebody is passed over more often than that is no coincidence any more,
// unless `--starvation-limit` says otherwise.
inline constexpr int32_t kMostOvertakings = 1000;

inline int32_t starvation_limit(const Config& config) {
  return config.starvation_limit ? static_cast<int32_t>(config.starvation_limit) : kMostOvertakings;
}

inline bool is_starvation(const Failure& end) {
  return end.outcome == Outcome::livelock && end.code != 0;
}

}  // namespace jostle::channel
