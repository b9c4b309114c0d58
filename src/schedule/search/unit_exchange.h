// SPDX-License-Identifier: Apache-2.0
// Units of a divided search between the command, which hands them out, and the target, which
// explores them, in the hub. One at a time; what bytes mean is the search's business
// (strategy/dpor/work/unit_desk.h).
//
// The command writes `order` and raises `asked`; the target writes `answer` and sets `answered` to
// the number of the order. A target that dies has answered nothing, and the next one begins with
// the same order.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/schedule/search/saved_search.h"

namespace jostle {

enum class UnitAnswer : uint32_t {
  done,
  part,      // it was interrupted: so far it came
  learned,   // runs have shown what earlier ones did not: all begin anew, with what is known now
  not_read,  // the order makes no sense
  no_room,   // for the answer
};

struct UnitExchange {
  std::atomic<uint32_t> is_used;   // set before the target starts
  std::atomic<uint32_t> is_over;   // there are no more orders
  std::atomic<uint64_t> asked;     // number of the last order, from 1
  std::atomic<uint64_t> answered;  // of the last that was answered
  std::atomic<UnitAnswer> kind;    // of the answer
  SavedSearch order;
  SavedSearch answer;
};

}  // namespace jostle
