// SPDX-License-Identifier: Apache-2.0
// What `jostle orders` has found, for people, for machines, and for editors that apply fixes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "src/cli/orders/order_trials.h"
#include "src/cli/orders/weakest_orders.h"

namespace jostle::cli {

struct OrdersResult {
  std::string program = {};             // as the user typed it
  std::vector<OrderPlace> places = {};  // by file and line
  std::vector<Weakest> weakest = {};    // of each
  OrderTrial trial = {};                // of all of them together
  bool finished = true;                 // no weaker order is untried
  bool left_out = false;                // some operations were not looked at
  uint64_t trials = 0;
  std::chrono::nanoseconds elapsed{};

  bool may_be_weaker(size_t i) const { return weakest[i].orders != places[i].operation.now; }
};

std::string orders_table(const OrdersResult& result, size_t columns);
std::string orders_json(const OrdersResult& result);
// With an edit of the source for each order that is spelled out there, or can be.
std::string orders_sarif(const OrdersResult& result);

}  // namespace jostle::cli
