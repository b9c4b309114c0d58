// SPDX-License-Identifier: Apache-2.0
// How weak may the memory orders of a program be? Place by place, the weakest order first, with all
// that was weakened before: an order stays when the next one up is the first that is right.
//
// The result is a local minimum: none of the orders can be weaker while the others are as they are
// then. One that was refused beside stronger orders would be refused beside weaker ones, too,
// because weaker orders allow more executions and never fewer; so one round is enough, and any of
// the changes may be left out. Another sequence of places may lead to another minimum: what costs
// most on real processors is tried first.
//
// Pure: what is right is the judge's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/schedule/operation.h"
#include "src/schedule/weak/memory_orders.h"

namespace jostle::cli {

// Of an operation, __ATOMIC_…; only a compare-exchange has one for when it fails.
struct Orders {
  uint8_t success = 0;
  uint8_t failure = channel::kNoOrder;

  bool operator==(const Orders&) const = default;
};

struct Ordered {
  OpKind kind = OpKind::none;
  Orders now = {};
};

struct Refusal {
  Orders orders = {};
  std::string why = {};
};
struct Weakest {
  Orders orders = {};
  std::vector<Refusal> refused = {};  // the weakest first
};

// Orders that are weaker than `now`, for an operation of this kind. The weakest first.
std::vector<uint8_t> weaker_orders(OpKind kind, uint8_t now);

struct Judgement {
  bool is_right = false;
  bool is_over = false;  // no more questions: what was found so far is the result
  std::string why = {};  // it is wrong
};
// Asked about all operations together.
using Judge = std::function<Judgement(const std::vector<Orders>& all)>;

// In the order of `operations`. `finished`: every question was answered.
std::vector<Weakest> find_weakest(const std::vector<Ordered>& operations, const Judge& judge,
                                  bool& finished);

}  // namespace jostle::cli
