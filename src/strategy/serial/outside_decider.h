// SPDX-License-Identifier: Apache-2.0
// Decides a run in which threads change only outside of certain functions, or when one has to wait
// in the middle.
#pragma once

#include "src/strategy/decider.h"
#include "src/strategy/serial/serial_plans.h"

namespace jostle {

class OutsideDecider final : public Decider {
 public:
  // The number of the call that the thread is in, from 1; 0: it is in none of those functions.
  using CallOf = uint32_t (*)(ThreadId);

  explicit OutsideDecider(CallOf call_of) : call_of_(call_of) { manner_.is_serial = true; }

  // `plan`: which candidate at each decision, as far as it goes; behind it the first.
  void prepare(const EngineVector<uint32_t>& plan) { plan_ = &plan; }
  const EngineVector<SerialPlans::Decision>& decisions() const { return decisions_; }
  // There was no such candidate, or too many to count.
  bool has_failed() const { return has_failed_; }

  void begin(const RunStart&) override;
  ThreadId pick(const View& view) override;
  uint32_t choose(const Question& question) override;
  void executed(const View& view, ThreadId id, const Operation& op) override;

 private:
  static constexpr uint32_t kMostThreads = 64;  // and candidates at once

  uint32_t decide(uint32_t count);
  bool is_in_middle(ThreadId id) const;

  CallOf call_of_;
  const EngineVector<uint32_t>* plan_ = nullptr;
  EngineVector<SerialPlans::Decision> decisions_;
  uint32_t begun_[kMostThreads] = {};  // the call in which each thread was when it last ran
  bool has_failed_ = false;
};

}  // namespace jostle
