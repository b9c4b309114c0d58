// SPDX-License-Identifier: Apache-2.0
// Decides a run in which threads change only between the operations of a test's scenario, or when
// one has to wait; one that need not wait any more goes on at once.
#pragma once

#include "src/strategy/decider.h"
#include "src/strategy/serial/serial_tree.h"

namespace jostle {

class SerialDecider final : public Decider {
 public:
  SerialDecider() { manner_.is_serial = true; }

  // `plan`: which candidate at each decision, as far as it goes; behind it what `wanted` suggests.
  // `now`: the history of the run that goes on.
  void prepare(const EngineVector<uint32_t>& plan, const History& wanted, const History& now) {
    plan_ = &plan;
    wanted_ = &wanted;
    now_ = &now;
  }
  const SerialRun& run() const { return run_; }
  // There was no such candidate, or too many to count.
  bool has_failed() const { return has_failed_; }

  void begin(const RunStart&) override;
  ThreadId pick(const View& view) override;
  uint32_t choose(const Question& question) override;
  void thread_created(ThreadId parent, ThreadId child) override;

 private:
  // By the plan, or what the history suggests; notes it.
  uint32_t decide(SerialDecision decision);
  // The thread is in an operation, which it can go on with.
  bool is_in_middle(const View& view, ThreadId id) const;

  static constexpr uint32_t kMostThreads = 64;  // and candidates at once

  const EngineVector<uint32_t>* plan_ = nullptr;
  const History* wanted_ = nullptr;
  const History* now_ = nullptr;
  SerialRun run_;
  // Threads of the test itself: until its first operation one of them does nothing.
  uint64_t of_test_ = 0;
  bool has_failed_ = false;
};

}  // namespace jostle
