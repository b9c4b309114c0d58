// SPDX-License-Identifier: Apache-2.0
// A search strategy: who decides each run of a campaign, and what is learned between runs.
//
// Four ideas, each an interface of its own:
//   Decider    decides one run, step by step                                  decider.h
//   Strategy   hands out the decider of each run, and learns between runs     here
//   Observer   is shown what runs do to memory                                observer.h
//   Explorer   explores all schedules, and knows when there is none left      explorer.h
// Most strategies decide all of their runs themselves: SelfDeciding. A composition (portfolio.cc,
// directed.cc) hands out the deciders and parts of others as they are and forwards no call of them,
// so that none can be forgotten. Strategies are known by name: strategies.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/schedule/exploration.h"
#include "src/schedule/hub.h"
#include "src/schedule/run_record.h"
#include "src/strategy/decider.h"
#include "src/strategy/explorer.h"
#include "src/strategy/observer.h"
#include "src/strategy/parameters.h"
#include "src/strategy/run_roles.h"

namespace jostle {

// Several strategies share the runs of a campaign.
class Shares {
 public:
  virtual ~Shares() = default;
  // "rff 52 %, surw 20 %", into `room` bytes.
  virtual void describe(char* to, size_t room) const = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  struct Turn {
    Decider* decider = nullptr;  // has begun
    // What the run is called in reports when it fails: that of several strategies which decides it.
    // Empty: as the user called the strategy.
    std::string_view name = {};
    // False: neither the observer nor names are needed in this run, whatever the parts say.
    bool is_observed = true;
    bool needs_names = true;
  };
  // A run begins: whose turn it is.
  virtual Turn begin_run(const RunStart& start) = 0;
  // The run is over: what a strategy wants to know in the next ones it learns here. Nothing else of
  // what it notes during a run lasts, because the run may have had a process of its own.
  virtual void after_run(const channel::RunRecord& /*run*/) {}
  // The same after a run that another strategy decided.
  virtual void after_other_run(const channel::RunRecord& /*run*/) {}

  // What else the strategy has; the same over the campaign.
  struct Parts {
    bool names = false;  // deciders want the names of locations and places (Operation::name, site)
    Observer* observer = nullptr;  // implies names
    Explorer* explorer = nullptr;
    const Shares* shares = nullptr;
    // Has the explorer run all schedules, are some in which waits end without a signal tried, too?
    bool ends_with_spurious_waits = false;
  };
  virtual Parts parts() { return {}; }
};

// A strategy that decides all of its runs itself.
class SelfDeciding : public Decider, public Strategy {
 public:
  Turn begin_run(const RunStart& start) final {
    begin(start);
    return {this};
  }
};

inline RunRoles begin_run_of(Strategy& strategy, const RunStart& start) {
  const Strategy::Turn turn = strategy.begin_run(start);
  const Strategy::Parts parts = strategy.parts();
  Observer* observer = turn.is_observed ? parts.observer : nullptr;
  const bool names = (turn.needs_names && (parts.names || parts.observer)) || observer;
  return {turn.decider, observer, names, turn.name};
}

// All schedules have been run; or how far that is.
inline channel::Exploration exploration_of(Strategy& strategy) {
  const Explorer* explorer = strategy.parts().explorer;
  return explorer ? explorer->exploration() : kNothingExplored;
}

// Makes the strategy that `spec` names ("pos", "pct:d=5"). Null when something is wrong with it;
// see parse_strategy. Lives in engine memory and is never destroyed; keeps nothing of `input`.
Strategy* make_strategy(std::string_view spec, const StrategyInput& input = {});

}  // namespace jostle
