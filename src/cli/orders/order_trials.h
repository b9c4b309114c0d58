// SPDX-License-Identifier: Apache-2.0
// Is a program still right when its memory orders are others? Found by running it: all executions
// of the memory model if they are few, else a search for as long as the user wants.
//
// The cheap question comes first: most orders that are too weak fail within some hundred schedules.
// Wrong is what fails, what has a data race, and what lets a load read a store that comes after it
// (weak/load_buffering.h), unless the program as it is has that, too.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/campaign/campaign_process.h"
#include "src/cli/orders/order_places.h"
#include "src/cli/runs/many_runs.h"

namespace jostle::cli {

// What was tried with some orders.
struct OrderTrial {
  bool is_right = false;
  std::string why = {};  // it is not
  // How it was found to be right.
  bool all = false;  // every execution was run
  uint64_t executions = 0, schedules = 0;
  std::vector<std::string> assumptions = {};  // of all executions: what that holds for
  std::string why_not_all = {};
};

class OrderTrials {
 public:
  // `config` as of a campaign with weak memory; `time`: how long each trial may take.
  OrderTrials(const ManyRuns& ready, std::vector<std::string> program,
              const channel::Config& config, std::chrono::nanoseconds time);

  // The program as it is. First of all.
  Result<OrderTrial> as_it_is();
  // Operations whose order could be weaker.
  const std::vector<OrderPlace>& places() const { return places_; }
  // Some operations were not looked at: there are too many.
  bool left_out() const { return left_out_; }

  // With these orders at the places.
  Result<OrderTrial> with(const std::vector<Orders>& orders) { return judge(orders); }

 private:
  using LateLoads = std::set<std::pair<uint64_t, uint64_t>>;
  enum class Way { glance, all, search };
  struct Ran {
    OrderTrial trial = {};
    LateLoads late = {};
    bool has_more_code = false;  // of places that are known
  };

  Result<OrderTrial> judge(const std::vector<Orders>& orders);
  Result<Ran> run(Way way, const std::vector<channel::OrderChange>& changes);
  channel::Config config_for(Way way, const std::vector<channel::OrderChange>& changes) const;
  void learn(const channel::OrderWatch& watch, report::Symbolizer& symbols, Ran& ran);

  const ManyRuns& ready_;
  std::vector<std::string> program_;
  channel::Config config_;
  std::chrono::nanoseconds time_;
  LaunchPlan plan_;
  SignalWatch signals_{true};
  bool is_first_ = true;
  bool few_ = true;  // executions: all of them can be run
  std::string why_not_all_;
  LateLoads late_;  // of the program as it is
  std::vector<OrderPlace> places_;
  bool left_out_ = false;
};

}  // namespace jostle::cli
