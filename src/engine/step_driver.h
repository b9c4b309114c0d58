// SPDX-License-Identifier: Apache-2.0
// The strategy of `jostle step`: does what the person at the command orders.
//
// An order stands for as many decisions as it says; when it is used up, or cannot be carried out,
// the driver fills in a stop in the channel and waits for the next one. Operations without
// alternative run by themselves, but the driver looks at them: one of them may be where `until`
// wants to get, or show that the chosen thread has to wait.
#pragma once

#include "src/schedule/channel.h"
#include "src/strategy/strategy.h"

namespace jostle::engine {

class StepDriver final : public Strategy {
 public:
  explicit StepDriver(channel::Channel* channel);

  void begin(uint64_t seed) override;
  ThreadId pick(const View& view) override;
  uint32_t choose(ChoiceKind kind, uint32_t alternatives) override;
  void executed(const View& view, ThreadId id, const Operation& op) override;
  void thread_created(ThreadId parent, ThreadId child) override;
  // Any strategy may take over, also one that needs these.
  bool wants_names() const override { return true; }
  void observed(const Event& event, bool writes) override {
    if (delegate_) delegate_->observed(event, writes);
  }
  void paired(uint64_t write, uint64_t read) override {
    if (delegate_) delegate_->paired(write, read);
  }
  bool is_guided() const override { return true; }
  uint64_t stop_for(ThreadId id) const override {
    return delegate_ ? delegate_->stop_for(id) : UINT64_MAX;
  }

 private:
  // `only`: the one that runs whatever the order is; kNoThread when there is a choice.
  ThreadId decide(const View& view, ThreadId only);
  // Whom the order lets run; kNoThread, and why, when it has no answer.
  ThreadId propose(const View& view, ThreadId only, channel::StepStop& why);
  bool is_at_wanted_place(const View& view, ThreadId id);
  void stop(channel::StepStop why);
  void take_order();
  void hand_over();
  bool is_followed() const;

  channel::Channel* const channel_;
  channel::StepExchange& exchange_;
  Strategy* const onward_;
  Strategy* delegate_ = nullptr;  // the strategy in charge, if one is
  channel::StepOrder order_ = channel::StepOrder::onward;
  uint64_t left_ = 0;  // decisions
  bool decided_ = false;
  // Where the last `until` ended: the next one does not end there at once.
  uint32_t reached_thread_ = UINT32_MAX;
  uint64_t reached_event_ = 0;
};

}  // namespace jostle::engine
