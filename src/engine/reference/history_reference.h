// SPDX-License-Identifier: Apache-2.0
// Knows what the operations of a test's scenario may return: runs it with threads that change only
// between operations (strategy/serial/serial_tree.h).
//
// That is what is meant, but a run costs as much as those that are judged. So one thread calls the
// operations first, in orders that the history suggests, many in one run (runtime/history/
// order_session.h): what comes out of one of them is right. What does not is looked at again, by
// runs as they are meant. Where orders and runs disagree about a sample, nothing more is believed
// of orders.
#pragma once

#include "src/engine/reference/reference_runs.h"
#include "src/runtime/history/order_session.h"
#include "src/schedule/history/reference_exchange.h"
#include "src/strategy/serial/order_tree.h"
#include "src/strategy/serial/serial_decider.h"

namespace jostle::engine {

class HistoryReference final : public rt::OrderSession {
 public:
  HistoryReference(ReferenceRuns& runs, ReferenceExchange& exchange)
      : runs_(runs), exchange_(exchange) {}
  // The question in the exchange, and perhaps some that follow it.
  void answer();

  // In a run of orders.
  const EngineVector<uint8_t>* next_order(int& is_new) override;
  void returned(uint32_t operation, uint64_t result, bool is_address) override;

 private:
  struct Known {
    uint64_t scenario;
    SerialTree* tree;
    OrderTree* orders;
    uint32_t longest;    // events, of an operation
    bool allows_orders;  // one thread can call all operations
    bool is_sample;      // … and what it says is compared with runs
  };

  // Of the history in the exchange.
  Judgement judge();
  OrderTree::Answer judge_by_orders();
  void run_orders();
  void note_order();

  Judgement measure(Known& known);
  void explain(Known& known);
  bool run(Known& known);
  Known& known_of(uint64_t scenario);
  void forget();

  ReferenceRuns& runs_;
  ReferenceExchange& exchange_;
  SerialDecider decider_;
  Known* known_now_ = nullptr;  // of the question
  // Of the order that is being called.
  bool calls_ = false;
  uint64_t results_[kMostOperations];
  uint32_t returned_ = 0;
  uint32_t orders_left_ = 0;  // of this run
  uint64_t drawn_ = 0;        // scenario that the run has drawn last
  uint64_t orders_called_ = 0;
  const EngineVector<uint32_t> no_plan_;
  bool believes_orders_ = true;
  uint32_t orders_failed_ = 0;  // runs of orders that ended before their time
  EngineVector<Known> known_;
  EngineVector<SerialTree*> spare_;
  EngineVector<OrderTree*> spare_orders_;
};

}  // namespace jostle::engine
