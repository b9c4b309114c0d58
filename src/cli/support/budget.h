// SPDX-License-Identifier: Apache-2.0
// The time that a command may take, all of it: `-t 5s` is a promise.
//
// The search gets what the user gave. What follows from it (confirming, minimising, races, reports)
// gets a share more; each of these asks here before it begins, and ends when
// the time is over. What was left undone for that is said at the end: see Undone.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace jostle::cli {

class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  using nanoseconds = std::chrono::nanoseconds;

  // Without a limit.
  Budget() = default;
  // Begins now. Promised are one and a half times the search and two seconds; of that the last bit
  // is for what cannot be interrupted: writing files, the end of processes.
  explicit Budget(nanoseconds search, Clock::time_point now = Clock::now())
      : limited_(true),
        search_end_(now + search),
        end_(now + search + search * 2 / 5 + std::chrono::milliseconds(1000)) {}

  bool limited() const { return limited_; }
  nanoseconds left(Clock::time_point now = Clock::now()) const {
    return limited_ ? std::max(nanoseconds(0), end_ - now) : nanoseconds::max();
  }
  bool over(Clock::time_point now = Clock::now()) const { return limited_ && now >= end_; }
  bool search_is_over(Clock::time_point now = Clock::now()) const {
    return limited_ && now >= search_end_;
  }
  // As long as wanted, if there is so much.
  nanoseconds at_most(nanoseconds wanted, Clock::time_point now = Clock::now()) const {
    return std::min(wanted, left(now));
  }
  // The same, but over after `longest` at the latest.
  Budget within(nanoseconds longest, Clock::time_point now = Clock::now()) const {
    Budget part = *this;
    part.end_ = limited_ ? std::min(end_, now + longest) : now + longest;
    if (!limited_) part.search_end_ = part.end_;
    part.limited_ = true;
    return part;
  }
  // The same end, but all of it counts for one who comes before others.
  Budget share(size_t parts, Clock::time_point now = Clock::now()) const {
    Budget part = *this;
    if (limited_ && parts > 1) part.end_ = now + left(now) / static_cast<int64_t>(parts);
    return part;
  }

 private:
  bool limited_ = false;
  Clock::time_point search_end_{}, end_{};
};

// What there was no time for, a line each, with the command that goes on with it.
using Undone = std::vector<std::string>;

}  // namespace jostle::cli
