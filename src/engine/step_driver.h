// SPDX-License-Identifier: Apache-2.0
// The overseer of `jostle step`: does what the person at the command orders.
//
// An order stands for as many decisions as it says; when it is used up, or cannot be carried out,
// the driver fills in a stop in the channel and waits for the next one. Operations without
// alternative run by themselves, but the driver looks at them: one of them may be where `until`
// wants to get, or show that the chosen thread has to wait.
#pragma once

#include "src/runtime/scheduler/overseer.h"
#include "src/schedule/channel.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {

class StepDriver final : public rt::Overseer {
 public:
  explicit StepDriver(channel::Channel* channel);

  ThreadId pick(const View& view) override {
    picked_ = true;
    return decide(view, kNoThread);
  }
  void goes(const View& view, ThreadId id) override {
    if (!picked_) decide(view, id);
    picked_ = false;
  }

 private:
  // `only`: the one that runs whatever the order is; kNoThread when there is a choice.
  ThreadId decide(const View& view, ThreadId only);
  // Whom the order lets run; kNoThread, and why, when it has no answer.
  ThreadId propose(const View& view, ThreadId only, channel::StepStop& why);
  bool is_at_wanted_place(const View& view, ThreadId id);
  void stop(channel::StepStop why);
  void take_order();
  // From here on a strategy decides; false: there is none of that name.
  bool hand_over();
  bool is_followed() const;

  channel::Channel* const channel_;
  channel::StepExchange& exchange_;
  Decider* const onward_;  // without preemption
  channel::StepOrder order_ = channel::StepOrder::onward;
  uint64_t left_ = 0;    // decisions
  bool picked_ = false;  // who goes next
  // Where the last `until` ended: the next one does not end there at once.
  uint32_t reached_thread_ = UINT32_MAX;
  uint64_t reached_event_ = 0;
};

}  // namespace jostle::engine
