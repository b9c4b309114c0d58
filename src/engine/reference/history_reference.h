// SPDX-License-Identifier: Apache-2.0
// Knows what the operations of a test's scenario may return: runs it with threads that change only
// between operations (strategy/serial/serial_tree.h).
#pragma once

#include "src/engine/reference/reference_runs.h"
#include "src/schedule/history/reference_exchange.h"
#include "src/strategy/serial/serial_decider.h"

namespace jostle::engine {

class HistoryReference {
 public:
  HistoryReference(ReferenceRuns& runs, ReferenceExchange& exchange)
      : runs_(runs), exchange_(exchange) {}
  // Of the history in the exchange.
  Judgement judge();

 private:
  struct Known {
    uint64_t scenario;
    SerialTree* tree;
    uint32_t longest;  // events, of an operation
  };

  Judgement measure(Known& known);
  void explain(Known& known);
  bool run(Known& known);
  Known& known_of(uint64_t scenario);
  void forget();

  ReferenceRuns& runs_;
  ReferenceExchange& exchange_;
  SerialDecider decider_;
  EngineVector<Known> known_;
  EngineVector<SerialTree*> spare_;
};

}  // namespace jostle::engine
