// SPDX-License-Identifier: Apache-2.0
// Where a search gets units of a divided search from, and leaves the answers: the exchange in the
// hub (schedule/search/unit_exchange.h).
//
// An order: how many pieces of knowledge of the program there are, each of them, the unit, a part
// of its answer. Answers: UnitExplorer's; or what is known of the program now, if that is more than
// in the order.
//
// An answer is handed over when the search is asked for more work, not after its last run: if that
// run fails, the search ends, and there is no answer.
#pragma once

#include <cstdint>

#include "src/schedule/exploration.h"
#include "src/schedule/search/unit_exchange.h"
#include "src/strategy/dpor/work/shared_knowledge.h"
#include "src/strategy/dpor/work/unit_explorer.h"

namespace jostle::dpor {

class UnitDesk {
 public:
  // All outlive this.
  UnitDesk(UnitExchange* exchange, ReducedSearch* search, ThreadNames* threads,
           SharedKnowledge* knowledge)
      : exchange_(exchange), knowledge_(knowledge), explorer_(search, threads) {}

  // Between runs: there is work. `begins`: it is a unit that has just begun.
  bool has_work(bool* begins);
  // After a run, with the answer of end_run.
  void after_run(bool has_more);
  UnitCounts& counts() { return explorer_.counts(); }
  // A run has shown more of the program than the order says.
  void learned() { state_ = State::learned; }
  // The unit from its beginning once more: the run was not as the next ones will be.
  void repeat();
  // The search is interrupted.
  void leave_part();
  // Of this process, for whoever watches.
  channel::Exploration progress() const;

 private:
  enum class State { idle, exploring, done, learned };

  bool take_order();
  bool begin();
  void answer(UnitAnswer kind);

  UnitExchange* exchange_;
  SharedKnowledge* knowledge_;
  UnitExplorer explorer_;
  State state_ = State::idle;
  uint64_t order_ = 0;  // its number
  uint32_t repeated_ = 0;
  const uint8_t* unit_ = nullptr;
  const uint8_t* part_ = nullptr;
  size_t unit_size_ = 0, part_size_ = 0;
  UnitCounts before_;  // of units that are answered
  ByteWriter writer_;
};

}  // namespace jostle::dpor
