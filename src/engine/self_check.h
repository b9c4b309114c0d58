// SPDX-License-Identifier: Apache-2.0
// Is a rewound process really as good as new? Two comparisons, three times each: the first runs of
// a campaign are done once more in this process, following what the first one did, and some later
// ones once more in a child. They must be the same. If not, runs get a process each.
//
// A child costs as much as dozens of rewound runs, so that a campaign that finds something in its
// first runs does without: what it found is confirmed in a fresh process anyway. One that ends
// sooner without finding anything makes up for it at the end.
#pragma once

#include <cstdint>

#include "src/engine/executor.h"
#include "src/runtime/memory/sharing.h"
#include "src/schedule/channel.h"

namespace jostle::engine {

class SelfCheck {
 public:
  SelfCheck(channel::Channel& channel, Executor& executor)
      : channel_(channel),
        executor_(executor),
        forks_(channel.config.executor == channel::Executor::automatic),
        children_left_(forks_ ? kChecks : 0) {}

  // After every run, its record counted already: it may be overwritten here.
  void after_run() {
    // What the strategy ended cannot be followed to its end.
    can_be_repeated_ = channel_.record.end.outcome != channel::Outcome::stopped;
    if (!executor_.rewinds() || (here_left_ == 0 && children_left_ == 0)) return;
    if (!can_be_repeated_) return;
    ++runs_;
    events_ += channel_.record.events;
    // One repetition of a long run costs as much as many others.
    if (channel_.record.events > channel::kLongRun) {
      if (here_left_ > 1) here_left_ = 1;
      if (children_left_ > 1) children_left_ = 1;
    }
    const bool worth_children = runs_ > kRunsBeforeChildren || events_ > kEventsBeforeChildren;
    check(here_left_ != 0, worth_children && children_left_ != 0);
  }

  // When the campaign is about to end with the run that `after_run` was called for last. False when
  // it turns out only now that its runs cannot be trusted.
  bool holds_at_end() {
    if (!executor_.rewinds() || runs_ == 0 || was_in_child_ || !can_be_repeated_) return true;
    check(false, true);
    return executor_.rewinds();
  }

 private:
  static constexpr uint32_t kChecks = 3;
  // Some milliseconds: by then a child more or less is not noticed.
  static constexpr uint32_t kRunsBeforeChildren = 32;
  static constexpr uint64_t kEventsBeforeChildren = 1 << 16;

  void check(bool here, bool in_child);
  // Why two runs differ, if something is known that does.
  const char* what_varies(const char* otherwise) const;

  channel::Channel& channel_;
  Executor& executor_;
  bool forks_;  // with --executor=snapshot nothing is ever forked
  uint32_t here_left_ = kChecks;
  uint32_t children_left_;
  bool was_in_child_ = false;
  bool can_be_repeated_ = true;
  uint32_t runs_ = 0;  // and events, until all is checked
  uint64_t events_ = 0;
  rt::SharingCell* scratch_ = nullptr;
  uint64_t repetitions_ = 0;
};

}  // namespace jostle::engine
