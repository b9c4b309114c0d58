// SPDX-License-Identifier: Apache-2.0
// The atomic operations of a program's source that have been executed: where they are, and with
// which memory order.
#pragma once

#include <string>
#include <vector>

#include "src/cli/orders/weakest_orders.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/weak/memory_orders.h"

namespace jostle::cli {

// Operations of the same kind and order in one line are one: they are changed together.
struct OrderPlace {
  std::string file;  // as the debug information has it
  int line = 0;
  std::string source;  // "queue.h:41"
  Ordered operation = {};
  std::vector<uint64_t> locations = {};  // its machine code
};

// Adds what runs have seen, by file and line; only operations whose order the program has chosen:
// what std::shared_ptr and the like do inside is not for it to change.
void add_places(const channel::OrderWatch& watch, report::Symbolizer& symbols,
                std::vector<OrderPlace>& places);
// Adds machine code of places that are known. True: there was some.
bool add_locations(const channel::OrderWatch& watch, report::Symbolizer& symbols,
                   std::vector<OrderPlace>& places);

// "load", "compare-exchange", …
std::string_view operation_name(const Ordered& operation);
// "release", "acq_rel, acquire"; of a fence that does nothing "none".
std::string orders_text(OpKind kind, Orders orders);

// The places with these orders, for a run.
std::vector<channel::OrderChange> order_changes(const std::vector<OrderPlace>& places,
                                                const std::vector<Orders>& orders);

}  // namespace jostle::cli
