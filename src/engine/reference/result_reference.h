// SPDX-License-Identifier: Apache-2.0
// Knows how runs come out in which threads change only outside of the functions that are to look
// atomic: makes them one after the other, and keeps what was different.
#pragma once

#include "src/engine/reference/reference_runs.h"
#include "src/schedule/history/reference_exchange.h"
#include "src/strategy/serial/outside_decider.h"
#include "src/strategy/serial/serial_plans.h"

namespace jostle::engine {

class ResultReference {
 public:
  ResultReference(ReferenceRuns& runs, ReferenceExchange& exchange);
  // Of the result in the exchange.
  Judgement judge();
  // Makes all runs, as far as that is possible, and lists what several threads use in any of them.
  void list_words();

 private:
  bool can_go_on() const;
  void look_at_words_asked_for();
  bool is_known() const;
  bool run();
  void explain();

  ReferenceRuns& runs_;
  ReferenceExchange& exchange_;
  OutsideDecider decider_;
  SerialPlans plans_;
  EngineVector<ResultOfRun*> results_;  // no two equal
  uint32_t count_ = 0;                  // of runs
  uint32_t restarts_ = 0;
  bool is_lost_ = false;  // the program does not do the same twice, or its runs do not end
};

}  // namespace jostle::engine
